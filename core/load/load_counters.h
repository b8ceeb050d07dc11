// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace tailmark {

/// A count with one writer and readers on other threads: a plain add for the writer, never a locked
/// instruction.
template <typename T> class SharedCount
{
public:
    void add(T n) { m_value.store(m_value.load(std::memory_order_relaxed) + n, std::memory_order_release); }
    void set(T n) { m_value.store(n, std::memory_order_release); }
    T get() const { return m_value.load(std::memory_order_acquire); }

private:
    std::atomic<T> m_value{0};
};

/// What one generator thread has done since the start of the point. The later of two steps of a request is
/// counted after the earlier; who reads in the order of the members from the last to the first never sees
/// more of the later.
struct LoadCounters
{
    SharedCount<std::uint64_t> intended, sent, accepted, completed, failed, outputTokens;
    SharedCount<std::uint64_t> newConnections, staleConnections, events, coalescedEvents;
    SharedCount<std::uint32_t> inFlight, waiting;

    void reset()
    {
        for (auto* count : {&intended, &sent, &accepted, &completed, &failed, &outputTokens, &newConnections,
                            &staleConnections, &events, &coalescedEvents})
            count->set(0);
        inFlight.set(0);
        waiting.set(0);
    }
};

} // namespace tailmark
