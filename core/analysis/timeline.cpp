// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/level_track.h"
#include "analysis/summarize.h"
#include "analysis/token_flow.h"

#include <algorithm>

namespace tailmark {

std::vector<TimelineBin> timeline(const RecordBatch& batch, double binS)
{
    constexpr std::size_t kMostBins = 1'000'000;
    if (batch.empty() || !(binS > 0))
        return {};
    Nanoseconds last{0};
    for (const RequestRecord& r : batch.records)
        last = std::max({last, r.intended, r.sent, endTime(r)});
    const double wanted = toSeconds(last) / binS + 1;
    std::vector<TimelineBin> bins(static_cast<std::size_t>(std::min(wanted, static_cast<double>(kMostBins))));
    const auto bin = [&](Nanoseconds t) -> TimelineBin* {
        if (!isPresent(t) || t < Nanoseconds(0))
            return nullptr;
        const auto i = static_cast<std::size_t>(toSeconds(t) / binS);
        return i < bins.size() ? &bins[i] : nullptr;
    };
    const auto count = [&](Nanoseconds t, double TimelineBin::*rate, double amount = 1) {
        if (TimelineBin* b = bin(t))
            b->*rate += amount;
    };

    LevelTrack inFlight;
    LevelTrack backlog;
    const Nanoseconds after = last + Nanoseconds(1);
    for (const RequestRecord& r : batch.records) {
        const Nanoseconds end = isPresent(endTime(r)) ? endTime(r) : after;
        inFlight.add(r.sent, end);
        backlog.add(r.intended, end);
        count(r.intended, &TimelineBin::offeredPerS);
        count(r.sent, &TimelineBin::sentPerS);
        if (isAccepted(r))
            count(isPresent(r.firstToken) ? r.firstToken : completionTime(r), &TimelineBin::acceptedPerS);
        if (r.outcome == Outcome::Completed)
            count(completionTime(r), &TimelineBin::completedPerS);
        else if (r.outcome != Outcome::Cancelled)
            count(isPresent(endTime(r)) ? endTime(r) : r.intended, &TimelineBin::failedPerS);
        if (hasUsefulTokens(r))
            forEachTokenArrival(r, batch.chunksOf(r), [&](Nanoseconds t, double tokens) {
                count(t, &TimelineBin::outputTokensPerS, tokens);
            });
    }
    inFlight.finish();
    backlog.finish();

    for (std::size_t i = 0; i < bins.size(); ++i) {
        TimelineBin& b = bins[i];
        b.startS = static_cast<double>(i) * binS;
        for (double TimelineBin::*rate :
             {&TimelineBin::offeredPerS, &TimelineBin::sentPerS, &TimelineBin::acceptedPerS,
              &TimelineBin::completedPerS, &TimelineBin::failedPerS, &TimelineBin::outputTokensPerS})
            b.*rate /= binS;
        const Nanoseconds end = fromSeconds(b.startS + binS);
        b.inFlight = static_cast<double>(inFlight.at(end));
        b.backlog = static_cast<double>(backlog.at(end));
    }
    return bins;
}

} // namespace tailmark
