// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"

#include <optional>
#include <span>
#include <vector>

namespace tailmark {

/// The repeats of one level.
using Repeats = std::vector<const PointSummary*>;

Repeats validRepeats(const Repeats& all);

/// The middle value, the mean of the two middle ones for an even number. Absent for none, and where it is not
/// finite: an infinite value stands for a repeat that has none.
std::optional<double> medianOf(std::vector<double> values);

/// Holds the interval of every repeat, and the value of one without. Absent where nothing shows any
/// variation: one repeat without an interval.
std::optional<Interval> envelope(std::span<const double> values,
                                 std::span<const std::optional<Interval>> intervals);

/// 95 % of what repeats have in common, from their spread: Student's t on the logarithm. Absent below two repeats,
/// and where a value is not above 0.
std::optional<Interval> repeatInterval(std::span<const double> values);

/// Two independent sources of error of one value, each as an interval around it: the squares of the distances on the
/// logarithm add up (MOVER: Zou and Donner, Statistics in Medicine 27, 2008). `value` must be above 0.
Interval combined(double value, const Interval& one, const Interval& other);

} // namespace tailmark
