// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "sim/scheduler.h"

namespace tailmark::sim {

/// Runs a scheduler in virtual time and keeps what every request saw. Times in ms.
class VirtualEngine
{
public:
    struct Seen
    {
        double arrived = 0;
        Admission admission = Admission::Queued;
        std::vector<double> events; ///< end of every step that gave it tokens
        std::vector<int> eventTokens;
        int tokens = 0;
        int cachedTokens = 0;
        int preemptions = 0;
        bool finished = false;

        double ttft() const { return events.front() - arrived; }
        double e2e() const { return events.back() - arrived; }
        double largestGap() const
        {
            double gap = 0;
            for (std::size_t i = 1; i < events.size(); ++i)
                gap = std::max(gap, events[i] - events[i - 1]);
            return gap;
        }
    };

    explicit VirtualEngine(const Profile& profile, int maxQueue = 0, std::uint64_t seed = 1)
        : scheduler(profile, maxQueue, seed)
    {
    }

    void arriveAt(double time, SchedulerRequest request) { m_arrivals.emplace(time, std::move(request)); }
    /// Arrives now; the id is given.
    std::uint64_t arrive(int promptTokens, int outputTokens, std::vector<BlockHash> hashes = {})
    {
        const std::uint64_t id = ++m_lastId;
        arriveAt(now, {id, promptTokens, outputTokens, std::move(hashes)});
        return id;
    }

    /// One step; false when there is nothing left to do.
    bool step()
    {
        admitUpTo(now);
        if (!scheduler.hasWork()) {
            if (m_arrivals.empty())
                return false;
            now = m_arrivals.begin()->first;
            admitUpTo(now);
            if (!scheduler.hasWork())
                return true;
        }
        const double duration = scheduler.beginStep().value();
        durations.push_back(duration);
        const double end = now + duration;
        admitBefore(end);
        now = end;
        for (const Emission& emission : scheduler.endStep()) {
            Seen& request = seen[emission.id];
            request.events.push_back(now);
            request.eventTokens.push_back(emission.tokens);
            request.tokens += emission.tokens;
            request.cachedTokens = emission.cachedTokens;
            request.preemptions = emission.preemptions;
            request.finished = emission.finished;
            if (emission.finished && onFinished)
                onFinished(emission.id);
        }
        return true;
    }
    void run(double until = 1e18)
    {
        while (now < until && step())
            ;
    }

    Scheduler scheduler;
    double now = 0;
    std::map<std::uint64_t, Seen> seen;
    std::vector<double> durations;
    std::function<void(std::uint64_t)> onFinished;

private:
    void admitUpTo(double time)
    {
        while (!m_arrivals.empty() && m_arrivals.begin()->first <= time)
            admitFirst();
    }
    void admitBefore(double time)
    {
        while (!m_arrivals.empty() && m_arrivals.begin()->first < time)
            admitFirst();
    }
    void admitFirst()
    {
        auto node = m_arrivals.extract(m_arrivals.begin());
        Seen& request = seen[node.mapped().id];
        request.arrived = node.key();
        request.admission = scheduler.add(std::move(node.mapped()));
    }

    std::multimap<double, SchedulerRequest> m_arrivals;
    std::uint64_t m_lastId = 0;
};

/// A profile whose steps take exactly 10 ms whatever they compute, without noise.
inline Profile plainProfile()
{
    Profile profile;
    profile.name = "plain";
    profile.decode = {10, 0, 0};
    profile.prefill = {0, 0};
    profile.kvCapacityTokens = 1'600'000;
    profile.maxModelLen = 100'000;
    profile.maxNumSeqs = 256;
    profile.maxNumBatchedTokens = 8192;
    return profile;
}

/// Distinct hashes for a prompt of this many full blocks; equal for equal `content`.
inline std::vector<BlockHash> hashesOf(std::uint64_t content, int blocks)
{
    std::vector<BlockHash> hashes;
    for (int i = 0; i < blocks; ++i)
        hashes.push_back(mixBits(deriveSeed(content, static_cast<std::uint64_t>(i))));
    return hashes;
}

} // namespace tailmark::sim
