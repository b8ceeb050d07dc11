// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <cstdio>
#include <ctime>

namespace tailmark {

Nanoseconds MonotonicClock::now() const
{
    timespec ts{};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return std::chrono::seconds(ts.tv_sec) + Nanoseconds(ts.tv_nsec);
}

std::string utcNow()
{
    timespec ts{};
    clock_gettime(CLOCK_REALTIME, &ts);
    tm parts{};
    gmtime_r(&ts.tv_sec, &parts);
    char text[64];
    const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text + n, sizeof text - n, ".%03ldZ", ts.tv_nsec / 1'000'000);
    return text;
}

} // namespace tailmark
