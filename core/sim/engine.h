// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/clock.h"
#include "sim/event_loop.h"
#include "sim/scheduler.h"

namespace tailmark::sim {

/// What the engine tells its owner; on the loop's thread. The calls may submit and abort.
class EngineListener
{
public:
    virtual ~EngineListener() = default;
    /// The request left the ingest stage; it now waits, or was turned away.
    virtual void onAdmission(std::uint64_t id, Admission admission, Nanoseconds now) = 0;
    virtual void onFirstScheduled(std::uint64_t id, Nanoseconds stepStart) = 0;
    /// A step has ended: what every request got from it. All of it is to be written now, as engines do.
    virtual void onStepEnd(std::span<const Emission> emissions) = 0;
};

/// Runs a scheduler in real time. Steps follow each other without a gap: a step starts when the one before
/// ended, not when the timer was late to say so, and so their times add up without drift. When the machine
/// could not keep up for a whole step, the next one starts now; nothing is made up for by a burst. One
/// thread.
class Engine
{
public:
    /// `coldPenaltyMs`: what the first request takes longer to be taken in, as an engine compiles its kernels; each
    /// further one half as much as the one before it.
    Engine(EventLoop& loop, const Profile& profile, int maxQueue, std::uint64_t seed,
           EngineListener& listener, double coldPenaltyMs = 0);

    /// Takes a request received now; it joins the queue after the profile's ingest time. The id must be new.
    void submit(SchedulerRequest request);
    void abort(std::uint64_t id);

    SchedulerStats stats() const { return m_scheduler.stats(); }
    bool resetPrefixCache() { return m_scheduler.resetPrefixCache(); }

private:
    struct Ingest
    {
        Nanoseconds due;
        SchedulerRequest request;
        bool aborted;
    };

    void turn();
    void ingest(Nanoseconds now);
    void beginStep(Nanoseconds earliest);
    void rearm();

    EngineListener& m_listener;
    Scheduler m_scheduler;
    const Nanoseconds m_ingestTime;
    Nanoseconds m_coldPenalty; ///< of the next request
    MonotonicClock m_clock;
    std::deque<Ingest> m_ingest;         ///< in order of due time
    Nanoseconds m_stepEnd = kAbsentTime; ///< of the step in flight
    DeadlineTimer m_timer;
};

} // namespace tailmark::sim
