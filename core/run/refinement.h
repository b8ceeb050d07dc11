// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "plan/plan.h"

#include <optional>
#include <span>
#include <vector>

namespace tailmark {

/// The level to measure next between the last passing and the first failing one of a curve: the middle of the logarithm of
/// the load (a rate to three digits, a concurrency to a whole number), until the bracket is as narrow as `refineTo`,
/// (first failing - last passing) / last passing. Absent where that is so, where the curve has no such bracket, and where no
/// level is left inside it or the one in the middle was measured already and may not be believed: it would not be
/// another time.
std::optional<Load> refiningLevel(const Curve& curve, double refineTo);

/// The points to add to a plan of which every point has been measured: one level of the first sweep that may have more
/// (`measurement.refine`), in all its repeats, marked as added and with indices behind the last. Empty when there is
/// nothing to refine. Asked again after they were measured, until it is empty.
std::vector<PointPlan> refinementOf(const Plan& plan, std::span<const PointSummary> measured);

} // namespace tailmark
