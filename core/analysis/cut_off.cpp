// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/cut_off.h"

#include "analysis/point_data.h"
#include "analysis/text.h"
#include "analysis/token_flow.h"

namespace tailmark {

CutOff cutOffOf(const PointData& data)
{
    CutOff cutOff;
    double tokens = 0, events = 0; // of the answers that ended
    for (const RequestRecord& r : data.batch.records) {
        if (r.outcome == Outcome::Completed && r.outputTokens != kUnknownCount && r.tokenEvents > 0) {
            tokens += r.outputTokens;
            events += r.tokenEvents;
        }
        if (r.outcome != Outcome::Cancelled ||
            forEachTokenArrival(r, data.batch.chunksOf(r), [](Nanoseconds, double) {}))
            continue;
        std::uint64_t inWindow = 0;
        for (const ChunkRecord& c : data.batch.chunksOf(r))
            inWindow += data.covers(r.sent + std::chrono::microseconds(c.sinceSentUs));
        cutOff.requests += inWindow > 0;
        cutOff.tokenEvents += inWindow;
    }
    if (cutOff.requests > 0 && events > 0 && data.windowEnd > data.windowStart)
        cutOff.tokensPerS = static_cast<double>(cutOff.tokenEvents) * tokens / events /
                            toSeconds(data.windowEnd - data.windowStart);
    return cutOff;
}

std::string cutOffText(const CutOff& cutOff, const std::optional<double>& outputTokensPerS)
{
    if (cutOff.requests == 0)
        return {};
    std::string text = "leaves out " + countText(cutOff.requests) + (cutOff.requests == 1 ? " answer" : " answers") +
                       " that the end of the point cut off, whose tokens nobody told";
    if (cutOff.tokensPerS && outputTokensPerS)
        text += ": by their " + countText(cutOff.tokenEvents) + " events about " + figureText(*cutOff.tokensPerS) +
                " tok/s more, " + percentText(*cutOff.tokensPerS / (*outputTokensPerS + *cutOff.tokensPerS)) +
                " of all";
    return text;
}

} // namespace tailmark
