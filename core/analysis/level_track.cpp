// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/level_track.h"

#include <algorithm>

namespace tailmark {

namespace {

std::size_t countUpTo(const std::vector<Nanoseconds>& times, Nanoseconds t)
{
    return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
}

/// Sum over `times` of the part of [from, to) that lies after each.
double spanAfter(const std::vector<Nanoseconds>& times, Nanoseconds from, Nanoseconds to)
{
    double sum = 0;
    for (const Nanoseconds t : times) {
        if (t < to)
            sum += toSeconds(to - std::max(t, from));
    }
    return sum;
}

} // namespace

void LevelTrack::add(Nanoseconds from, Nanoseconds to)
{
    if (!isPresent(from) || !isPresent(to) || to <= from)
        return;
    m_from.push_back(from);
    m_to.push_back(to);
}

void LevelTrack::finish()
{
    for (std::vector<Nanoseconds>* times : {&m_from, &m_to})
        if (!std::is_sorted(times->begin(), times->end()))
            std::sort(times->begin(), times->end());
}

std::size_t LevelTrack::at(Nanoseconds t) const
{
    return countUpTo(m_from, t) - countUpTo(m_to, t);
}

double LevelTrack::mean(Nanoseconds from, Nanoseconds to) const
{
    if (to <= from)
        return 0;
    return (spanAfter(m_from, from, to) - spanAfter(m_to, from, to)) / toSeconds(to - from);
}

LevelTrack::Peak LevelTrack::peak(Nanoseconds from, Nanoseconds to) const
{
    Peak peak{at(from), from};
    std::size_t ended = countUpTo(m_to, from);
    for (std::size_t i = countUpTo(m_from, from); i < m_from.size() && m_from[i] < to; ++i) {
        while (ended < m_to.size() && m_to[ended] <= m_from[i])
            ++ended;
        const std::size_t level = i + 1 - ended;
        if (level > peak.level)
            peak = {level, m_from[i]};
    }
    return peak;
}

Nanoseconds LevelTrack::settles(std::size_t level, Nanoseconds from, Nanoseconds hold,
                                Nanoseconds until) const
{
    Nanoseconds candidate = at(from) <= level ? from : kAbsentTime;
    std::size_t begun = countUpTo(m_from, from);
    std::size_t ended = countUpTo(m_to, from);
    while (begun < m_from.size() || ended < m_to.size()) {
        const bool ends = ended < m_to.size() && (begun == m_from.size() || m_to[ended] <= m_from[begun]);
        const Nanoseconds t = ends ? m_to[ended] : m_from[begun];
        if (isPresent(candidate) && t - candidate >= hold)
            break;
        if (t >= until)
            break;
        if (ends)
            ++ended;
        else
            ++begun;
        const bool low = begun - ended <= level;
        if (!low)
            candidate = kAbsentTime;
        else if (!isPresent(candidate))
            candidate = t;
    }
    const bool held = isPresent(candidate) && candidate + hold <= until;
    return held ? candidate : kAbsentTime;
}

} // namespace tailmark
