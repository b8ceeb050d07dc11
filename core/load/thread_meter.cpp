// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/thread_meter.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <pthread.h>
#include <unistd.h>

namespace tailmark {

namespace {

/// Second field of schedstat: nanoseconds spent runnable on a run queue. 0 where the kernel does not tell.
Nanoseconds runDelayOf(pid_t thread)
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", static_cast<int>(thread));
    long long running = 0;
    long long delay = 0;
    if (FILE* file = std::fopen(path, "re")) {
        if (std::fscanf(file, "%lld %lld", &running, &delay) != 2)
            delay = 0;
        std::fclose(file);
    }
    return Nanoseconds(delay);
}

} // namespace

void ThreadMeter::begin()
{
    ::pthread_getcpuclockid(::pthread_self(), &m_cpuClock);
    m_id = ::gettid();
    loopLag.clear();
    timerLag.clear();
    m_begin = read();
    m_ended.store(false, std::memory_order_release);
}

void ThreadMeter::end()
{
    m_end = read();
    m_ended.store(true, std::memory_order_release);
}

ThreadMeter::Use ThreadMeter::use() const
{
    const Use now = m_ended.load(std::memory_order_acquire) ? m_end : read();
    return {now.wall - m_begin.wall, std::max(now.cpu - m_begin.cpu, Nanoseconds(0)),
            now.runDelay - m_begin.runDelay};
}

ThreadMeter::Use ThreadMeter::read() const
{
    timespec cpu{};
    ::clock_gettime(m_cpuClock, &cpu);
    return {MonotonicClock().now(),
            std::chrono::seconds(cpu.tv_sec) + Nanoseconds(cpu.tv_nsec) - m_poller.spun(), runDelayOf(m_id)};
}

} // namespace tailmark
