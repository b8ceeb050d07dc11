// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/comparison.h"
#include "base/result.h"
#include "report/run_results.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Whether two runs sent the same requests, by the hashes that they keep of them.
enum class SameRequests {
    Unknown,         ///< one keeps none
    Yes,             ///< as they were sent
    ButForTheTarget, ///< the same prompts, lengths and times; fields that are the target's own (model) differ
    No,
};

/// What is said of one run against the baseline: what page, command line, JSON and report of a comparison show.
struct RunComparison
{
    std::string nameA, nameB; ///< as the sentences call them
    Pairing pairing = Pairing::Apart;
    SameRequests sameRequests = SameRequests::Unknown;
    /// Where a run of another tool is compared: whose definitions the figures follow, and what they are.
    std::string counting;
    std::vector<Difference> differences;
    std::vector<LevelComparison> levels;
    std::vector<CapacityComparison> capacities;

    bool controlled() const { return isControlled(differences); }
    /// Controlled or not, and whether the requests were the same and paired.
    std::string conditions() const;
};

/// The other tool by whose definitions all of these runs can be shown; empty where there is none, or more than one.
std::string commonTool(std::span<const RunInfo> runs);

/// Both summarised under one SLO, that of the baseline. Beside a run of another tool ours is counted as that tool counts.
RunComparison compareRuns(const RunResults& baseline, const RunResults& run, const std::string& nameA = "A",
                          const std::string& nameB = "B");

/// Two or more runs; the first is the baseline.
struct ComparedRuns
{
    std::vector<RunResults> runs;
    std::vector<RunComparison> comparisons; ///< of runs[1], runs[2]… against runs[0]

    const RunResults& baseline() const { return runs.front(); }
};

/// "A", "B", … of the place of a run in a comparison; behind "Z" "AA".
std::string runLetter(std::size_t index);

/// Reads all of them, under the limits of the first else their capacities would not be of one kind. Errors: BadInput for
/// fewer than two runs or one that is named twice; those of the store.
Result<ComparedRuns> loadCompared(const Store& store, const std::vector<RunId>& runs, const Slo& slo = {});

/// Of two runs one object: `a`, `b`, `controlled`, `sentence`, `differences`, `levels`, `capacities`, `figures`, …; of more
/// {"baseline", "comparisons": [of each such an object]}. Unset values are null.
nlohmann::ordered_json comparisonToJson(const ComparedRuns& compared);

/// One line of the library, as `list --json` and comparisons have it.
nlohmann::ordered_json runInfoToJson(const RunInfo& run);

} // namespace tailmark
