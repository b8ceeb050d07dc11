// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/quantile.h"

#include <optional>
#include <span>

namespace tailmark {

// Three 95 % intervals, and where each is used:
// - order statistics (quantileInterval): the quantiles of a distribution as shown. Exact whatever the law, but it takes
//   the requests as independent, which in a queue they are not.
// - block bootstrap (blockBootstrapInterval): the quantile that a limit is held against, and so where one run crosses the
//   SLO. Requests that wait in one queue are slow together, so that many requests may be little evidence.
// - Student's t on the logarithm (repeatInterval): what repeats of a run have in common. Only repeats know the noise
//   between runs; an interval from within one run is blind to it.

/// 95 % interval of a quantile of values that follow each other in time: a moving-block bootstrap (Künsch, Annals of
/// Statistics 17, 1989) of the number of values above the quantile, turned into the two ranks that bound it (Woodruff, JASA
/// 47, 1952). A block is a sixteenth of the values, so that it keeps all dependence that is shorter; the distances are
/// stretched by Student's t for so few blocks. 1,000 resamples from a fixed seed: the same values always have the same
/// interval, and the work grows with the number of values alone. Never narrower than the interval of independent values,
/// and absent where that is. A rank beyond the values ends at the last. `inOrder` are the values of `sorted` by time.
std::optional<Interval> blockBootstrapInterval(std::span<const double> sorted, std::span<const double> inOrder,
                                               double percent);

/// 95 % interval of the share of misses (`isMiss` by time, 1 or 0), from the same bootstrap of their number; never narrower
/// than that of Clopper and Pearson (Biometrika 26, 1934), which takes them as independent. Absent without requests.
std::optional<Interval> blockBootstrapShare(std::span<const double> isMiss);

} // namespace tailmark
