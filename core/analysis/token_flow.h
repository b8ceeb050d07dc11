// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/window_rate.h"
#include "record/request_record.h"

#include <span>

namespace tailmark {

/// Calls `arrived(Nanoseconds at, double tokens)` for the token events of one request, so that its tokens can
/// be counted when they came. The tokens add up to the request's total where that is known: chunks of known
/// size carry theirs in proportion, the others share the rest evenly; without chunk times the total is spread
/// over the time between first and last token. Returns false where neither total nor chunk sizes are known.
template <typename Arrived>
bool forEachTokenArrival(const RequestRecord& r, std::span<const ChunkRecord> chunks, Arrived&& arrived)
{
    const bool totalKnown = r.outputTokens != kUnknownCount;
    std::int64_t known = 0;
    std::size_t unknown = 0;
    for (const ChunkRecord& c : chunks) {
        known += c.tokens;
        unknown += c.tokens == 0;
    }
    if (!totalKnown && (chunks.empty() || unknown > 0))
        return false;
    const double total = totalKnown ? r.outputTokens : static_cast<double>(known);
    if (total <= 0)
        return true;

    if (chunks.empty()) {
        if (!isPresent(r.lastToken))
            return true;
        const Nanoseconds first = isPresent(r.firstToken) ? r.firstToken : r.lastToken;
        constexpr int kSteps = 64;
        const int steps = first < r.lastToken ? kSteps : 1;
        for (int i = 0; i < steps; ++i)
            arrived(first + (r.lastToken - first) * i / (kSteps - 1), total / steps);
        return true;
    }

    const double rest = total - static_cast<double>(known);
    const double share = unknown > 0 && rest > 0 ? rest / static_cast<double>(unknown) : 0;
    const double sum = static_cast<double>(known) + share * static_cast<double>(unknown);
    const double scale = total / sum;
    for (const ChunkRecord& c : chunks)
        arrived(r.sent + std::chrono::microseconds(c.sinceSentUs), (c.tokens > 0 ? c.tokens : share) * scale);
    return true;
}

/// The tokens of one request by when they arrived in the window. Every sum over requests is made of these, in the order of
/// their intended starts, so that it is the same wherever it is made.
struct SlicedTokens
{
    SliceAmounts amounts;
    bool known = false; ///< somebody told how many there were
};
inline SlicedTokens slicedTokens(const RequestRecord& r, std::span<const ChunkRecord> chunks, const WindowRate& window)
{
    SlicedTokens tokens;
    tokens.known = forEachTokenArrival(r, chunks, [&](Nanoseconds at, double amount) {
        if (const auto slice = window.sliceOf(at))
            tokens.amounts.add(*slice, amount);
    });
    return tokens;
}

/// Its tokens are useful output: the answer arrived in full, or only the end of the point cut it off.
inline bool hasUsefulTokens(const RequestRecord& r)
{
    return r.outcome == Outcome::Completed || r.outcome == Outcome::Cancelled;
}

} // namespace tailmark
