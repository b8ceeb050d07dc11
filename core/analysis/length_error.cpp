// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/length_error.h"

#include "analysis/text.h"

namespace tailmark {

namespace {

/// Nearest rank: the value with rank ceil(percent × n / 100).
std::int32_t quantileOf(const LengthErrors& errors, std::size_t n, std::size_t percent)
{
    const std::size_t rank = (percent * n + 99) / 100;
    std::size_t seen = 0;
    for (const auto& [error, count] : errors) {
        seen += count;
        if (seen >= rank)
            return error;
    }
    return errors.rbegin()->first;
}

std::string signedText(std::int32_t value)
{
    return (value > 0 ? "+" : "") + std::to_string(value);
}

} // namespace

std::optional<LengthErrorSummary> summarizeErrors(const LengthErrors& errors)
{
    LengthErrorSummary s;
    for (const auto& [error, count] : errors) {
        s.n += count;
        s.exact += error == 0 ? count : 0;
    }
    if (s.n == 0)
        return std::nullopt;
    s.min = errors.begin()->first;
    s.p50 = quantileOf(errors, s.n, 50);
    s.p99 = quantileOf(errors, s.n, 99);
    s.max = errors.rbegin()->first;
    return s;
}

void addErrors(LengthErrors& to, const LengthErrors& more)
{
    for (const auto& [error, count] : more)
        to[error] += count;
}

std::string lengthErrorText(const LengthErrorSummary& errors)
{
    std::string text = countText(errors.exact) + " of " + countText(errors.n) +
                       " prompts have exactly the planned tokens by the server's count";
    if (errors.exact < errors.n)
        text += "; reported less planned: min " + signedText(errors.min) + ", p50 " + signedText(errors.p50) +
                ", p99 " + signedText(errors.p99) + ", max " + signedText(errors.max);
    return text;
}

} // namespace tailmark
