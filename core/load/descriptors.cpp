// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/descriptors.h"

#include <cerrno>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tailmark {

void raiseDescriptorLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

std::string missingDescriptors(int connections)
{
    rlimit limit{};
    const rlim_t needed = static_cast<rlim_t>(connections) + 2 * kReservedDescriptors;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY ||
        limit.rlim_max >= needed)
        return {};
    return std::to_string(connections) + " connections at once need " + std::to_string(needed) +
           " file descriptors, the system allows " + std::to_string(limit.rlim_max) + ": " +
           std::to_string(needed - limit.rlim_max) + " are missing (raise the hard limit, ulimit -Hn)";
}

int openSocket(int family, int type, int protocol)
{
    const int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    // the system gives the lowest number that is free, so a high one says that nearly all are taken
    rlimit limit{};
    if (fd >= 0 && ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(fd) + kReservedDescriptors >= limit.rlim_cur) {
        ::close(fd);
        errno = EMFILE;
        return -1;
    }
    return fd;
}

} // namespace tailmark
