// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "record/foreign_figures.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// One level of a result file of another tool.
struct ForeignLevel
{
    Load load;
    std::string insteadOfLoad; ///< in words, what stands for a load that the file does not tell; empty: it does
    ForeignFigures figures;
    /// Entries of the run card that it tells: "model", "tokenizer".
    std::map<std::string, std::string> card;
    std::string toolVersion, target, startedAt; ///< empty = not told
};

/// "vllm", "sglang", "guidellm", "aiperf", "inference-perf", "llmperf".
std::span<const std::string_view> foreignToolIds();

/// Reads what `tool` ("auto" = recognised by its keys) wrote: `vllm bench serve --save-result`, SGLang's bench_serving
/// (JSON lines), GuideLLM's benchmarks.json, AIPerf's profile_export_aiperf.json, a lifecycle_metrics.json of
/// inference-perf, LLMPerf's _summary.json. A file may hold several levels. `load`, where given, stands in for a load
/// that the file does not tell. Errors: BadInput with what is wrong and what is allowed.
Result<std::vector<ForeignLevel>> parseForeignResult(const std::string& text, const std::string& source,
                                                     std::string_view tool, const std::optional<Load>& load = {});
/// The same of a file, of at most 64 MiB.
Result<std::vector<ForeignLevel>> readForeignResult(const std::string& path, std::string_view tool,
                                                    const std::optional<Load>& load = {});

} // namespace tailmark
