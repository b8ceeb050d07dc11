// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "plan/plan.h"
#include "workload/lengths.h"
#include "workload/request_source.h"

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// Which request fields the target takes; found by the probe (target/probe.h), generic defaults otherwise.
struct BodyOptions
{
    std::string model;
    bool streamOptions = true;                 ///< send stream_options.include_usage
    bool ignoreEos = false;                    ///< the engine can be made to generate the full length
    bool minTokens = false;                    ///< send min_tokens together with ignore_eos
    std::string maxTokensField = "max_tokens"; ///< or "max_completion_tokens"
    nlohmann::json evidenceFields = nlohmann::json::object(); ///< fields by which the tokens of a chunk are told
    std::vector<std::string> refusedFields; ///< that the target does not take ("seed", "stream_options.x")
    int chatOverheadTokens = 0; ///< tokens that the chat template adds to a one-message prompt, where known
    std::string runSalt;        ///< makes the prompts of this run unlike those of every other (cache cold)
};

/// The requests of one point: lengths × schedule × prompts. `lengths` saves reading a trace again where the
/// caller has the source of point.lengths already. Errors come from the length source only.
///
/// A prompt is plain common words, one token each in practice. Its first words are its own number written in
/// words: requests differ from their first block on, so that no prefix cache is hit by accident; with a
/// shared prefix they differ after it. The words depend on the point's seeds alone (two runs of one matrix
/// ask the same), and on `runSalt` as well where the matrix states a cold cache.
Result<std::shared_ptr<const RequestSource>>
makeRequestSource(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                  std::shared_ptr<const LengthSource> lengths = nullptr);

} // namespace tailmark
