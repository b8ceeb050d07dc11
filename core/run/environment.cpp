// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/environment.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <curl/curl.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tailmark {

namespace {

/// The first value of `key` in a file of "key : value" lines.
std::string valueIn(const char* file, std::string_view key)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(key))
            continue;
        const std::size_t colon = line.find(':');
        const std::size_t value =
            colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
        return value == std::string::npos ? std::string() : line.substr(value);
    }
    return {};
}

} // namespace

nlohmann::json clientEnvironment()
{
    nlohmann::json environment = {{"client", "Tailmark " TAILMARK_VERSION}, {"curl", curl_version()}};
    if (utsname name; uname(&name) == 0)
        environment["kernel"] = std::string(name.sysname) + " " + name.release + " " + name.machine;
    if (const std::string cpu = valueIn("/proc/cpuinfo", "model name"); !cpu.empty())
        environment["cpu"] = cpu;
    // The cores this process may use, which in a container are fewer than the machine has.
    if (cpu_set_t set; sched_getaffinity(0, sizeof set, &set) == 0)
        environment["cores"] = CPU_COUNT(&set);
    const long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGE_SIZE);
    if (pages > 0 && pageSize > 0)
        environment["memory_bytes"] = static_cast<std::int64_t>(pages) * pageSize;
    if (rlimit limit; getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        environment["file_descriptors"] = static_cast<std::int64_t>(limit.rlim_cur);
    return environment;
}

} // namespace tailmark
