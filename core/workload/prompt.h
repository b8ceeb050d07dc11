// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "plan/plan.h"
#include "workload/lengths.h"
#include "workload/prompt_fit.h"
#include "workload/request_source.h"

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

struct Trace;

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
    bool wholeMessages = false; ///< what stands in the place of the prompt is the whole list of messages
    int chatOverheadTokens = 0; ///< tokens that the chat template adds to a one-message prompt, where known
    PromptFit fit;              ///< how many words make a prompt of a wanted length
    std::string saltField;      ///< request field that keeps the cached prompts of different salts apart; or empty
    nlohmann::json bypassFields = nlohmann::json::object(); ///< fields by which a request reads no cache
    std::string runSalt; ///< makes the prompts of this run unlike those of every other, where a cache is stated
};

/// The requests of one point: lengths × schedule × prompts. `lengths` and `log` save reading a file again where
/// the caller has the source of point.lengths and its log already. Errors come from these only. Where the arrivals
/// of a log are replayed, each comes with the lengths of its row.
///
/// A prompt is plain common words, made long enough by `options.fit`. Its first words, behind the one that all
/// prompts have, are its own number written in words: requests differ from their first block on, so that no
/// prefix cache is hit by accident; with a shared prefix they differ after it. The words depend on the point's
/// seeds alone, so that two runs of one matrix ask the same. Where the matrix states a cold or warm cache, the
/// run's salt keeps earlier runs (cold: earlier points as well) out of it: in `options.saltField` where the
/// engine has one, else in those first words, which then are the only ones that differ from run to run.
///
/// Where prompts hang together (workload/request_table.h) requests are asked in the order of the log, or turn by
/// turn: a prompt is then the texts of its blocks, one text for each number of a block, or the beginning of its
/// conversation's text, in a chat parted into messages. Planned answers, not those of the engine, are the history of a
/// conversation.
Result<std::shared_ptr<const RequestSource>>
makeRequestSource(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                  std::shared_ptr<const LengthSource> lengths = nullptr, std::shared_ptr<const Trace> log = nullptr);

/// The requests that put the point's shared prefixes into a prefix cache: each prefix that its requests can
/// begin with once, one output token each. Closed loop: as many as `count()` tells, then no more.
std::shared_ptr<const RequestSource> makePrimingSource(const Matrix& matrix, const PointPlan& point,
                                                       const BodyOptions& options);

/// Whether a point's schedule needs its log: it replays arrivals or think times.
bool replaysLog(const PointPlan& point);

} // namespace tailmark
