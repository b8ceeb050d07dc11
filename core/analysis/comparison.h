// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "plan/matrix.h"
#include "record/run_card.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One entry of card, workload or measurement that is not the same, or not known, in two runs.
struct Difference
{
    std::string key; ///< "card.flags.max_num_seqs", "workload.cache", …
    std::string a, b; ///< "unknown" where it is not known
    bool unknown = false; ///< at least one side does not know it, so that it may differ
};

struct RunFacts
{
    Matrix matrix;
    RunCard card;
};

/// Every difference, quantization first. Target URL, names and notes are no difference; an entry unknown on both sides is
/// listed as unknown.
std::vector<Difference> differences(const RunFacts& a, const RunFacts& b);
/// Controlled: exactly one known difference and no entry unknown on one side only.
bool isControlled(std::span<const Difference> differences);
/// "Controlled: only flags.max_num_seqs differs" / "Uncontrolled: 3 things differ".
std::string comparisonSentence(std::span<const Difference> differences);

/// One level that both runs have.
struct LevelComparison
{
    std::string test;
    Load load;
    std::optional<double> throughputA, throughputB, throughputRatio; ///< output tok/s; ratio B/A
    std::optional<double> latencyA, latencyB, latencyRatio;          ///< p99 of the headline latency
    std::optional<double> goodputA, goodputB, goodputRatio;
};
std::vector<LevelComparison> compareLevels(std::span<const PointSummary> a, std::span<const PointSummary> b);

} // namespace tailmark
