// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/table_fit.h"

#include "analysis/text.h"
#include "workload/request_table.h"

#include <algorithm>

namespace tailmark {

namespace {

std::int64_t need(const LengthPair& lengths)
{
    return std::int64_t{lengths.promptTokens} + lengths.outputTokens;
}

} // namespace

Result<TableFit> fitTables(const Plan& plan,
                           const std::function<const ReadLengths*(const PointPlan&)>& readFor,
                           int contextTokens, int templateTokens)
{
    TableFit fit;
    LengthPair longest;
    bool logSeen = false;
    for (const PointPlan& point : plan.points) {
        const bool drawn = point.sessions.kind == SessionsKind::Synthetic;
        // The table of a log is the same in every point, and its lengths were fitted with the others.
        const ReadLengths* read =
            RequestTable::isNeeded(point) && (drawn || !logSeen) ? readFor(point) : nullptr;
        if (!read)
            continue;
        const auto table = RequestTable::make(point, *read->source, read->log);
        if (!table)
            return table.error();
        logSeen |= !drawn;
        for (std::uint32_t i = 0; i < table.value()->size(); ++i) {
            const LengthPair lengths = table.value()->row(i).lengths;
            fit.longestPrompt = std::max(fit.longestPrompt, lengths.promptTokens);
            if (drawn && need(lengths) > need(longest))
                longest = lengths;
        }
    }
    if (contextTokens <= 0 || need(longest) + templateTokens <= contextTokens)
        return fit;
    const std::string text = "the longest turn of a session is planned with " +
                             countText(static_cast<std::uint64_t>(need(longest) + templateTokens)) +
                             " tokens (" + countText(static_cast<std::uint64_t>(longest.promptTokens)) +
                             " of them the prompt with all turns before it), the target's context is " +
                             countText(static_cast<std::uint64_t>(contextTokens));
    if (plan.matrix.workload.beyondContext != BeyondContext::Send)
        return Error{ErrorCode::Unreachable, {}, text + "; fewer or shorter turns fit (workload.sessions)"};
    fit.remark = text + ": they are sent as planned (workload.beyond_context)";
    return fit;
}

} // namespace tailmark
