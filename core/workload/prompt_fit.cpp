// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tailmark {

std::string_view promptMethodId(PromptMethod method)
{
    static constexpr std::array<std::string_view, 4> ids = {"unchecked", "usage", "tokenizer", "token_ids"};
    return ids[static_cast<std::size_t>(method)];
}

std::size_t PromptFit::piecesFor(int promptTokens, int furtherTurns) const
{
    const double pieces = std::round((promptTokens - overheadTokens - furtherTurns * turnTokens) / tokensPerPiece);
    return static_cast<std::size_t>(std::max(0.0, pieces));
}

bool PromptFit::holds(int promptTokens, std::size_t pieces, int furtherTurns) const
{
    return overheadTokens + furtherTurns * turnTokens + static_cast<double>(pieces) * tokensPerPiece <= promptTokens;
}

std::optional<int> PromptFit::clientTokens(int promptTokens) const
{
    if ((method != PromptMethod::Tokenizer && method != PromptMethod::TokenIds) || tokensPerPiece != 1)
        return std::nullopt;
    return overheadTokens + static_cast<int>(piecesFor(promptTokens));
}

std::string promptFitText(const PromptFit& fit)
{
    std::string text;
    switch (fit.method) {
    case PromptMethod::Unchecked:
        return "prompt lengths are not checked: one common word is taken for one token";
    case PromptMethod::Usage:
        text = "prompt lengths are fitted to the prompt tokens that the server reports";
        break;
    case PromptMethod::Tokenizer:
        text = "prompt lengths are fitted through the server's tokenizer";
        break;
    case PromptMethod::TokenIds:
        text = "prompts are sent as token ids";
        break;
    }
    char figure[32];
    std::snprintf(figure, sizeof figure, "%.4g", fit.tokensPerPiece);
    text += fit.exact() ? ": one token a word" : std::string(": ") + figure + " tokens a word, so not exact";
    if (!fit.dropped.empty())
        text += " (" + std::to_string(fit.dropped.size()) + " of " + std::to_string(PromptPieces::kCount) +
                " words are more than one and left out)";
    return text + ", " + std::to_string(fit.overheadTokens) + " the same in every prompt";
}

} // namespace tailmark
