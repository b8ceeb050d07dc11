// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/engine.h"

#include <algorithm>

namespace tailmark::sim {

Engine::Engine(EventLoop& loop, const Profile& profile, int maxQueue, std::uint64_t seed,
               EngineListener& listener, double coldPenaltyMs)
    : m_listener(listener), m_scheduler(profile, maxQueue, seed), m_ingestTime(fromMs(profile.ingestMs)),
      m_coldPenalty(fromMs(coldPenaltyMs)), m_timer(loop, [this] { turn(); })
{
}

void Engine::submit(SchedulerRequest request)
{
    Nanoseconds due = m_clock.now() + m_ingestTime + m_coldPenalty;
    m_coldPenalty /= 2;
    if (!m_ingest.empty())
        due = std::max(due, m_ingest.back().due); // they are taken in one after another
    m_ingest.push_back({due, std::move(request), false});
    rearm();
}

void Engine::abort(std::uint64_t id)
{
    for (Ingest& ingest : m_ingest)
        if (ingest.request.id == id)
            ingest.aborted = true;
    m_scheduler.abort(id);
}

void Engine::turn()
{
    const Nanoseconds now = m_clock.now();
    ingest(now);
    if (isPresent(m_stepEnd) && m_stepEnd <= now) {
        const Nanoseconds ended = std::exchange(m_stepEnd, kAbsentTime);
        m_listener.onStepEnd(m_scheduler.endStep());
        beginStep(ended);
    } else if (!isPresent(m_stepEnd)) {
        beginStep(now);
    }
    rearm();
}

void Engine::ingest(Nanoseconds now)
{
    while (!m_ingest.empty() && m_ingest.front().due <= now) {
        Ingest next = std::move(m_ingest.front());
        m_ingest.pop_front();
        if (next.aborted)
            continue;
        const std::uint64_t id = next.request.id;
        m_listener.onAdmission(id, m_scheduler.add(std::move(next.request)), now);
    }
}

void Engine::beginStep(Nanoseconds earliest)
{
    const auto duration = m_scheduler.beginStep();
    if (!duration)
        return;
    const Nanoseconds now = m_clock.now();
    const Nanoseconds length = fromMs(*duration);
    const Nanoseconds start = earliest + length > now ? earliest : now;
    m_stepEnd = start + length;
    for (const std::uint64_t id : m_scheduler.firstScheduled())
        m_listener.onFirstScheduled(id, start);
}

void Engine::rearm()
{
    const bool ingesting = !m_ingest.empty();
    if (!isPresent(m_stepEnd) && !ingesting)
        return m_timer.disarm();
    Nanoseconds next = isPresent(m_stepEnd) ? m_stepEnd : m_ingest.front().due;
    if (ingesting)
        next = std::min(next, m_ingest.front().due);
    m_timer.arm(next);
}

} // namespace tailmark::sim
