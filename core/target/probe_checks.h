// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "target/engine_profiles.h"
#include "target/probe_request.h"

#include <string>
#include <vector>

namespace tailmark {

enum class CheckState { Passed, Failed, Unknown };
const char* checkStateId(CheckState state); ///< "passed", "failed", "unknown"

/// One thing that was asked of the test request's answer, and what came of it.
struct ProbeCheck
{
    std::string
        id; ///< "model_name", "usage", "prompt_tokens", "output_tokens", "stream", "cached_tokens", "proxy"
    CheckState state = CheckState::Unknown;
    std::string text;   ///< with the figures, one line
    bool warns = false; ///< worth a warning of every run: the claim is less than the matrix states
};

/// What the chat template adds to a prompt of one message, from the planned and the reported length; −1 where
/// the two are too far apart for that.
int templateTokens(const ProbeAnswer& answer);

/// Holds what came back against what was asked. `model`: the name that was asked.
std::vector<ProbeCheck> checkAnswer(const ProbeAnswer& answer, const std::string& model, const Target& target,
                                    const Workload& workload, const EngineProfile& profile);

} // namespace tailmark
