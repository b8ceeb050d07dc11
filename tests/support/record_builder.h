// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <string>
#include <vector>

namespace tailmark::test {

/// Of the token events of one request, ms after its send.
using Times = std::vector<double>;

/// Builds a batch by hand. All times in ms since the start of the point.
class RecordBuilder
{
public:
    /// A request that succeeded: sent when it was intended, tokens at the given times (ms after the send),
    /// the stream closed with the last. `tokensPerChunk` 0 = not known.
    RequestRecord& completed(double intendedMs, const Times& tokensAtMs, int outputTokens,
                             int tokensPerChunk = 0)
    {
        RequestRecord& r = add(intendedMs, Outcome::Completed);
        r.httpStatus = 200;
        r.finishReason = FinishReason::Stop;
        r.doneSeen = true;
        r.outputTokens = outputTokens;
        r.chunkBegin = static_cast<std::uint32_t>(batch.chunks.size());
        for (const double at : tokensAtMs)
            batch.chunks.push_back({static_cast<std::uint32_t>(at * 1000 + 0.5),
                                    static_cast<std::uint16_t>(tokensPerChunk), ChunkRecord::Answer});
        r.chunkCount = static_cast<std::uint32_t>(tokensAtMs.size());
        r.tokenEvents = static_cast<std::int32_t>(tokensAtMs.size());
        if (tokensPerChunk > 0)
            r.firstEventTokens = tokensPerChunk;
        if (!tokensAtMs.empty()) {
            r.firstToken = r.firstAnswerToken = r.sent + fromMs(tokensAtMs.front());
            r.lastToken = r.closed = r.sent + fromMs(tokensAtMs.back());
        }
        return r;
    }

    /// One token after `ttftMs`, the answer complete with a second one after `e2eMs`.
    RequestRecord& completed(double intendedMs, double ttftMs, double e2eMs, int outputTokens = 2)
    {
        return completed(intendedMs, Times{ttftMs, e2eMs}, outputTokens);
    }

    /// A request that was sent and ended otherwise after `afterMs`.
    RequestRecord& failed(double intendedMs, Outcome outcome, double afterMs, int httpStatus = 0,
                          const std::string& error = {})
    {
        RequestRecord& r = add(intendedMs, outcome);
        r.httpStatus = static_cast<std::uint16_t>(httpStatus);
        r.closed = r.sent + fromMs(afterMs);
        if (!error.empty()) {
            r.error = static_cast<std::int32_t>(batch.errors.size());
            batch.errors.push_back(error);
        }
        return r;
    }

    RequestRecord& notSent(double intendedMs)
    {
        RequestRecord& r = add(intendedMs, Outcome::NotSent);
        r.sent = kAbsentTime;
        return r;
    }

    RecordBatch batch;

private:
    RequestRecord& add(double intendedMs, Outcome outcome)
    {
        RequestRecord r;
        r.request = static_cast<std::uint32_t>(batch.records.size());
        r.outcome = outcome;
        r.intended = r.sent = fromMs(intendedMs);
        batch.records.push_back(r);
        return batch.records.back();
    }
};

} // namespace tailmark::test
