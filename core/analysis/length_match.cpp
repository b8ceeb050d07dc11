// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/length_match.h"

#include "analysis/point_data.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "plan/mix.h"

#include <algorithm>

namespace tailmark {

namespace {

std::vector<AskedAndRealised> match(const TokenFigures& asked, const std::optional<Distribution>& realised)
{
    const std::pair<double, std::int64_t> figures[] = {
        {50, asked.p50}, {90, asked.p90}, {95, asked.p95}, {99, asked.p99}};
    std::vector<AskedAndRealised> texts;
    for (const auto& [percent, value] : figures) {
        const Distribution::Quantile* q = realised ? realised->at(percent) : nullptr;
        texts.push_back({percentileText(percent), countText(static_cast<std::uint64_t>(value)) + " / " +
                                                      (q ? figureText(q->value) : std::string("–"))});
    }
    return texts;
}

std::string joined(const std::vector<AskedAndRealised>& matches)
{
    std::string text;
    for (const AskedAndRealised& each : matches)
        text += (text.empty() ? "" : ", ") + each.what + " " + each.text;
    return text;
}

} // namespace

LengthMatch matchLengths(const PointData& data)
{
    LengthMatch match;
    match.asked = data.facts.lengths;
    match.clipped = data.facts.clippedRequests;
    std::vector<LengthPair> planned, measured;
    const Lengths& lengths = data.point.lengths;
    double weights = 0;
    if (lengths.kind == LengthsKind::Mix) {
        for (const MixPart& part : lengths.parts) {
            weights += part.weight;
            match.parts.push_back({part.name, part.weight, 0, 0});
        }
    }
    for (const RequestRecord* r : data.inWindow) {
        if (r->promptTokensPlanned != kUnknownCount && r->outputTokensCap != kUnknownCount)
            planned.push_back({r->promptTokensPlanned, r->outputTokensCap});
        if (r->outcome == Outcome::Completed && r->promptTokens != kUnknownCount &&
            r->outputTokens != kUnknownCount)
            measured.push_back({r->promptTokens, r->outputTokens});
        if (!match.parts.empty())
            ++match.parts[partOf(lengths, data.point.seeds.lengths, r->request)].requests;
    }
    match.plannedCorrelation = rankCorrelation(planned);
    match.measuredCorrelation = rankCorrelation(measured);
    for (LengthMatch::Part& part : match.parts) {
        part.askedShare /= weights;
        if (!data.inWindow.empty())
            part.share = static_cast<double>(part.requests) / static_cast<double>(data.inWindow.size());
    }
    return match;
}

std::vector<AskedAndRealised> promptMatch(const PointSummary& point)
{
    if (!point.lengths.asked)
        return {};
    return match(point.lengths.asked->all.prompt,
                 point.promptTokens ? point.promptTokens : point.promptTokensPlanned);
}

std::vector<AskedAndRealised> outputMatch(const PointSummary& point)
{
    if (!point.lengths.asked)
        return {};
    return match(point.lengths.asked->all.output, point.outputTokens);
}

std::string lengthMatchText(const PointSummary& point)
{
    const LengthMatch& lengths = point.lengths;
    if (!lengths.asked)
        return {};
    std::string text = "prompt tokens asked / realised " + joined(promptMatch(point)) + "; output tokens (" +
                       outputPolicyId(point.point.output) + ") " + joined(outputMatch(point));
    if (const std::optional<double>& asked = lengths.asked->all.rankCorrelation) {
        const std::optional<double>& realised =
            lengths.measuredCorrelation ? lengths.measuredCorrelation : lengths.plannedCorrelation;
        text += "; rank correlation " + figureText(*asked) + " / " +
                (realised ? figureText(*realised) : std::string("–"));
    }
    for (const LengthMatch::Part& part : lengths.parts)
        text += "; " + part.name + " " + percentText(part.askedShare) + " / " + percentText(part.share) +
                " of the requests";
    if (lengths.clipped > 0)
        text += "; " + countText(lengths.clipped) +
                (lengths.clipped == 1 ? " request" : " requests") + " cut to the target's context";
    return text;
}

std::vector<const PointSummary*> largestPoints(const std::vector<PointSummary>& points)
{
    std::vector<const PointSummary*> largest;
    const auto size = [](const PointSummary* p) {
        return p->promptTokensPlanned ? p->promptTokensPlanned->n : 0;
    };
    for (const PointSummary& p : points) {
        const auto it = std::find_if(largest.begin(), largest.end(),
                                     [&](const PointSummary* l) { return l->point.test == p.point.test; });
        if (it == largest.end())
            largest.push_back(&p);
        else if (size(&p) > size(*it))
            *it = &p;
    }
    return largest;
}

} // namespace tailmark
