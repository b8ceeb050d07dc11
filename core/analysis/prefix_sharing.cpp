// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/prefix_sharing.h"

#include "analysis/point_data.h"
#include "analysis/text.h"

#include <algorithm>
#include <array>

namespace tailmark {

namespace {

std::optional<double> share(double part, double all)
{
    return all > 0 ? std::optional(part / all) : std::nullopt;
}

} // namespace

std::string_view hitSourceId(HitSource source)
{
    static constexpr std::array<std::string_view, 3> ids = {"", "usage", "counters"};
    return ids[static_cast<std::size_t>(source)];
}

std::optional<double> PrefixSharing::planned() const
{
    return share(static_cast<double>(plannedTokens), static_cast<double>(plannedOf));
}

std::optional<double> PrefixSharing::measured() const
{
    return source == HitSource::None ? std::nullopt : share(measuredTokens, measuredOf);
}

PrefixSharing prefixSharing(const PointData& data, const std::optional<ServerSummary>& server)
{
    PrefixSharing s;
    const bool anyTold = std::ranges::any_of(data.inWindow, [](const RequestRecord* r) {
        return r->outcome == Outcome::Completed && r->cachedTokens != kUnknownCount;
    });
    for (const RequestRecord* r : data.inWindow) {
        if (r->outcome != Outcome::Completed || r->cachedTokensPlanned == kUnknownCount)
            continue;
        s.plannedTokens += static_cast<std::uint64_t>(r->cachedTokensPlanned);
        s.plannedOf += static_cast<std::uint64_t>(std::max(0, r->promptTokensPlanned));
        const bool told = r->cachedTokens != kUnknownCount || (anyTold && data.facts.cache.absentIsZero);
        if (!told || r->promptTokens <= 0)
            continue;
        s.source = HitSource::Usage;
        s.measuredTokens += std::max(0, r->cachedTokens);
        s.measuredOf += r->promptTokens;
    }
    if (s.plannedOf == 0 || s.source == HitSource::Usage || !server)
        return s;
    const std::optional<double> queries = server->delta(ServerCounter::PrefixQueries);
    const std::optional<double> hits = server->delta(ServerCounter::PrefixHits);
    if (queries && hits && *queries > 0) {
        s.source = HitSource::Counters;
        s.measuredTokens = *hits;
        s.measuredOf = *queries;
    }
    return s;
}

PrefixSharing pooled(std::span<const PrefixSharing> points)
{
    PrefixSharing all;
    bool first = true;
    for (const PrefixSharing& p : points) {
        if (p.plannedOf == 0)
            continue; // nothing succeeded, or nothing is shared
        all.plannedTokens += p.plannedTokens;
        all.plannedOf += p.plannedOf;
        all.measuredTokens += p.measuredTokens;
        all.measuredOf += p.measuredOf;
        all.source = first || all.source == p.source ? p.source : HitSource::None;
        first = false;
    }
    return all;
}

std::string prefixSharingText(const PrefixSharing& sharing)
{
    const std::optional<double> planned = sharing.planned(), measured = sharing.measured();
    if (!planned)
        return {};
    std::string text = "planned " + percentText(*planned) + " of the prompt tokens, ";
    if (!measured)
        return text + "not measured: the engine tells neither cached tokens nor counters";
    return text + "measured " + percentText(*measured) +
           (sharing.source == HitSource::Usage ? " (cached tokens in the answers)"
                                               : " (the server's counters)");
}

} // namespace tailmark
