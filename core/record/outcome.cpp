// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/outcome.h"

#include <algorithm>

namespace tailmark {

namespace {

constexpr std::array<std::string_view, kOutcomeCount> kOutcomeIds = {
    "completed",     "rejected",  "client_error", "server_error", "connect_failed",
    "timeout_connect", "timeout_first_token", "timeout_stall", "timeout_total",
    "truncated",     "malformed", "no_content",   "cancelled",    "not_sent"};

constexpr std::array<std::string_view, 7> kFinishIds = {"", "stop", "length", "tool_calls", "content_filter", "abort", "other"};

template <std::size_t N>
int indexOf(const std::array<std::string_view, N>& ids, std::string_view id)
{
    const auto it = std::find(ids.begin(), ids.end(), id);
    return it == ids.end() ? -1 : static_cast<int>(it - ids.begin());
}

} // namespace

std::string_view outcomeId(Outcome outcome)
{
    return kOutcomeIds[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> outcomeFromId(std::string_view id)
{
    const int i = indexOf(kOutcomeIds, id);
    return i < 0 ? std::nullopt : std::optional(static_cast<Outcome>(i));
}

std::string_view finishReasonId(FinishReason reason)
{
    return kFinishIds[static_cast<std::size_t>(reason)];
}

FinishReason finishReasonFromId(std::string_view id)
{
    const int i = indexOf(kFinishIds, id);
    return i < 0 ? FinishReason::Other : static_cast<FinishReason>(i);
}

} // namespace tailmark
