// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/recorded_arrivals.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

Result<RecordedWindow> RecordedWindow::make(const RecordedTimes& times, const RecordedArrivals& recorded,
                                            const std::string& file)
{
    const std::vector<Nanoseconds>& arrivals = times.arrivals;
    if (arrivals.empty())
        return Error{ErrorCode::BadInput, file,
                     "tells no arrivals on one clock for all of its rows, which recorded arrivals need"};
    if (times.sampledEvery > 1)
        return Error{ErrorCode::BadInput, file,
                     "has too many rows to hold them all: recorded arrivals need every row, and one in " +
                         std::to_string(times.sampledEvery) +
                         " is held, which has neither the rate nor the bursts of the log; put the stretch to replay "
                         "into a file of its own"};
    const auto rowAt = [&](double s) {
        return std::lower_bound(arrivals.begin(), arrivals.end(), fromSeconds(s)) - arrivals.begin();
    };
    const auto first = rowAt(recorded.fromS);
    const auto end = recorded.toS > 0 ? rowAt(recorded.toS) : static_cast<std::ptrdiff_t>(arrivals.size());
    if (end - first < 2 || arrivals[static_cast<std::size_t>(end - 1)] == arrivals[static_cast<std::size_t>(first)])
        return Error{ErrorCode::BadInput, file,
                     "has fewer than two moments of arrival in the stretch that recorded names; its arrivals go "
                     "from 0 s to " +
                         std::to_string(std::llround(toSeconds(arrivals.back()))) + " s"};
    RecordedWindow window;
    window.m_times = &times;
    window.m_first = static_cast<std::uint64_t>(first);
    window.m_rows = static_cast<std::uint64_t>(end - first);
    window.m_startS = recorded.fromS;
    const double lastS = toSeconds(arrivals[static_cast<std::size_t>(end - 1)]) - window.m_startS;
    // What follows the last arrival is not told by a log that ends with it: a mean gap.
    window.m_lengthS = recorded.toS > 0 && recorded.toS <= toSeconds(arrivals.back())
                           ? recorded.toS - recorded.fromS
                           : lastS * (1 + 1 / static_cast<double>(window.m_rows - 1));
    return window;
}

double RecordedWindow::arrivalsBefore(double s) const
{
    const double laps = std::floor(s / m_lengthS);
    const auto begin = m_times->arrivals.begin() + static_cast<std::ptrdiff_t>(m_first);
    const auto end = begin + static_cast<std::ptrdiff_t>(m_rows);
    const auto inLap = std::lower_bound(begin, end, fromSeconds(m_startS + s - laps * m_lengthS)) - begin;
    return laps * static_cast<double>(m_rows) + static_cast<double>(inLap);
}

double RecordedWindow::at(std::uint64_t i) const
{
    return toSeconds(m_times->arrivals[m_first + i % m_rows]) - m_startS +
           static_cast<double>(i / m_rows) * m_lengthS;
}

} // namespace tailmark
