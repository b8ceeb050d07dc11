// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "schedule/recorded_times.h"

#include <cstdint>
#include <string>

namespace tailmark {

/// The part of a log's arrivals that a plan's `recorded` names: rows from `fromS` on and before `toS` (0 = all),
/// in seconds of the log. Beyond its end it begins again: a log that is shorter than a point repeats.
class RecordedWindow
{
public:
    /// Errors (BadInput): arrivals on no common clock, fewer than two in the window, or a sample of the log, whose
    /// rate and bursts are not those of the log.
    static Result<RecordedWindow> make(const RecordedTimes& times, const RecordedArrivals& recorded,
                                       const std::string& file);

    /// Arrival `i`, in seconds since the window's start; rises without end.
    double at(std::uint64_t i) const;
    /// The row of the log that arrival `i` is.
    std::uint32_t row(std::uint64_t i) const { return static_cast<std::uint32_t>(m_first + i % m_rows); }
    /// How often the log had begun again before arrival `i`.
    std::uint32_t lap(std::uint64_t i) const { return static_cast<std::uint32_t>(i / m_rows); }
    /// How many arrivals there are before `s`, in seconds since the window's start.
    double arrivalsBefore(double s) const;

    std::uint64_t rows() const { return m_rows; }
    double lengthS() const { return m_lengthS; }
    double ratePerS() const { return static_cast<double>(m_rows) / m_lengthS; }

private:
    const RecordedTimes* m_times = nullptr; ///< of the caller
    std::uint64_t m_first = 0, m_rows = 0;
    double m_startS = 0, m_lengthS = 0;
};

} // namespace tailmark
