// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/point_facts.h"
#include "record/request_record.h"

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// How a target came up and settled. Seconds since its start: of the command, or, where it was started apart, of the
/// wait for it.
struct ColdStartSummary
{
    std::string command; ///< that started it; empty = started apart
    double connectedS = 0;
    double readyS = 0;
    bool wasUp = false; ///< ready at the first attempt, with no command to start it: perhaps not cold at all
    std::optional<double> firstTokenS;
    /// Of each request in their order; absent where it did not succeed.
    std::vector<std::optional<double>> ttftMs;
    /// Median of the last half of the requests that succeeded: what it is once it is steady.
    std::optional<double> steadyTtftMs;
    /// The first request, from 1, from which on TTFT is steady: it and every running median of three behind it lie at
    /// most 10 % above the steady TTFT. Absent where that is only so within the last half, which then is no measure.
    std::optional<int> steadyRequest;
    std::optional<double> steadyS; ///< when that request was sent
    bool operator==(const ColdStartSummary&) const = default;
};

/// Absent without facts of a cold start. Pure.
std::optional<ColdStartSummary> summarizeColdStart(const RecordBatch& batch, const PointFacts& facts);

/// What the cold start took, in words.
std::string coldStartSentence(const ColdStartSummary& summary);

} // namespace tailmark
