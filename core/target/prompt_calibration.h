// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/prompt_fit.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tailmark {

/// Tokens of a prompt by the server's tokenizer.
struct TokenCount
{
    int count = 0;
    std::vector<std::int32_t> ids; ///< empty = not told
};

/// What a target can tell of the length of a prompt. What it cannot tell is an empty function.
struct PromptOracle
{
    /// A text's tokens by the server's tokenizer, in a chat with its template around them where that can be had.
    std::function<Result<TokenCount>(const std::string& text)> tokenize;
    /// The prompt tokens that the server reports for one short request with this prompt: a text, or with `ids`
    /// token ids with commas between them.
    std::function<Result<int>(const std::string& prompt, bool ids)> report;
    /// The same of a chat whose messages are these, of user and assistant in turn; empty where no turns will be asked.
    std::function<Result<int>(const std::vector<std::string>& messages)> reportTurns;
    bool takesTokenIds = false;
};

struct CalibrationOptions
{
    int longestPrompt = 512; ///< that will be asked, in tokens
    int reports = 32;        ///< requests to the model at most: they cost what a request costs
    /// Told before each step how far it is, 0..1; false ends the calibration with what is known by then.
    std::function<bool(double done)> proceed;
};

struct Calibration
{
    PromptFit fit;
    std::vector<std::string> notes; ///< what does not agree, in words
};

/// Finds how prompts of an exact length are written for a target. Which words are one token in context is found
/// by counting all of them at once and halving what costs more; those that are not are left out, so that every
/// length is met by its number of words. Counts come from the tokenizer where there is one, else from the
/// usage of short requests. Then some prompts of the lengths to come are counted whole, and the server's
/// report of two requests tells what its tokenizer leaves out (a template, a BOS). Where turns will be asked, the
/// report of two short conversations tells what the template adds with each.
///
/// Blocks for as long as the oracle does. A refusal or an unreadable answer makes it fall back to the next
/// best method; the one error is Cancelled.
Result<Calibration> calibratePrompts(const PromptOracle& oracle, const CalibrationOptions& options);

} // namespace tailmark
