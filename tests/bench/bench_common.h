// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// What the stub server and the clients of the benchmark share.
namespace tailmark::bench {

inline std::int64_t nowNs()
{
    timespec ts{};
    ::clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1'000'000'000LL + ts.tv_nsec;
}

inline double cpuSeconds()
{
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(use.ru_utime) + seconds(use.ru_stime);
}

/// Resident memory of this process now, in MB.
inline double residentMb()
{
    long total = 0;
    long resident = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &total, &resident) != 2)
            resident = 0;
        std::fclose(file);
    }
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

inline void pinTo(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof set, &set);
}

inline void raiseDescriptorLimit()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// "--name value" pairs.
class Arguments
{
public:
    Arguments(int argc, char** argv)
    {
        for (int i = 1; i + 1 < argc; i += 2)
            m_values[argv[i]] = argv[i + 1];
    }
    std::string text(const std::string& name, const std::string& otherwise = {}) const
    {
        const auto it = m_values.find("--" + name);
        return it == m_values.end() ? otherwise : it->second;
    }
    double number(const std::string& name, double otherwise) const
    {
        const std::string value = text(name);
        return value.empty() ? otherwise : std::atof(value.c_str());
    }
    int integer(const std::string& name, int otherwise) const
    {
        return static_cast<int>(number(name, otherwise));
    }

private:
    std::map<std::string, std::string> m_values;
};

/// A result of a client, read by bench_load.
inline void report(const char* name, double value)
{
    std::printf("%s %.6g\n", name, value);
}

/// Nearest rank; sorts.
inline double quantile(std::vector<double>& values, double p)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const auto rank =
        static_cast<std::size_t>(std::max(1.0, std::ceil(p * static_cast<double>(values.size()))));
    return values[std::min(rank, values.size()) - 1];
}

inline std::string bodyOf(std::uint32_t number)
{
    return "{\"n\":" + std::to_string(number) +
           ",\"model\":\"stub\",\"messages\":[{\"role\":\"user\",\"content\":\"Count to one, please.\"}],"
           "\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_tokens\":1,\"temperature\":0}";
}

inline std::string requestText(const std::string& path, int port, std::uint32_t number)
{
    const std::string body = bodyOf(number);
    return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// Sorted times in ns of a Poisson process, the same for every client.
inline std::vector<std::int64_t> poissonTimes(double ratePerS, double seconds)
{
    std::mt19937_64 random(7);
    std::exponential_distribution<double> gap(ratePerS);
    std::vector<std::int64_t> times;
    for (double t = gap(random); t < seconds; t += gap(random))
        times.push_back(static_cast<std::int64_t>(t * 1e9));
    return times;
}

/// When the stub server wrote each chunk of each request: the truth that stamps are compared with. A file
/// mapped by both sides; 0 = not written.
class TruthLog
{
public:
    static constexpr std::uint32_t kRequests = 1 << 15;
    static constexpr std::uint32_t kChunks = 256;

    explicit TruthLog(const std::string& path)
    {
        constexpr std::size_t bytes = sizeof(std::int64_t) * kRequests * kChunks;
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(bytes)) != 0)
            std::exit(1);
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        if (memory == MAP_FAILED)
            std::exit(1);
        m_times = static_cast<std::int64_t*>(memory);
    }
    std::int64_t& at(std::uint32_t request, std::uint32_t chunk)
    {
        return m_times[static_cast<std::size_t>(request % kRequests) * kChunks + chunk % kChunks];
    }

private:
    std::int64_t* m_times = nullptr;
};

} // namespace tailmark::bench
