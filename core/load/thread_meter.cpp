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
    m_lagCount.store(0, std::memory_order_relaxed);
    m_lagStride = 1;
    m_lagSkip = 0;
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

void ThreadMeter::addLag(Nanoseconds lag)
{
    if (++m_lagSkip < m_lagStride)
        return;
    m_lagSkip = 0;
    std::uint32_t n = m_lagCount.load(std::memory_order_relaxed);
    if (n == kLags) {
        n /= 2;
        for (std::uint32_t i = 0; i < n; ++i)
            m_lags[i].store(m_lags[2 * i].load(std::memory_order_relaxed), std::memory_order_relaxed);
        m_lagStride *= 2;
    }
    m_lags[n].store(static_cast<float>(toMs(std::max(lag, Nanoseconds(0)))), std::memory_order_relaxed);
    m_lagCount.store(n + 1, std::memory_order_release);
}

void ThreadMeter::lagsMs(std::vector<double>& out) const
{
    const std::uint32_t n = m_lagCount.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < n; ++i)
        out.push_back(static_cast<double>(m_lags[i].load(std::memory_order_relaxed)));
}

} // namespace tailmark
