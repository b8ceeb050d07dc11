// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/length_figures.h"

#include "base/integer_counts.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// One side of the lengths, prompt or output, with the share of the requests that is at most so long.
class Side
{
public:
    Side(std::span<const LengthPart> parts, std::int32_t LengthPair::*side)
    {
        for (const LengthPart& part : parts) {
            Share share{part.share, {}};
            double sum = 0;
            for (const LengthPair& pair : part.pairs) {
                share.counts.add(pair.*side);
                sum += pair.*side;
                m_max = std::max<std::int64_t>(m_max, pair.*side);
            }
            m_mean += part.share * sum / static_cast<double>(part.pairs.size());
            m_shares.push_back(std::move(share));
        }
    }

    TokenFigures figures() const
    {
        TokenFigures figures;
        figures.mean = m_mean;
        figures.max = m_max;
        struct Wanted
        {
            double share;
            std::int64_t* value;
        };
        const Wanted wanted[] = {
            {0.5, &figures.p50}, {0.9, &figures.p90}, {0.95, &figures.p95}, {0.99, &figures.p99}};
        std::size_t next = 0;
        forEachSlot([&](std::size_t slot, double, double upTo) {
            for (; next < std::size(wanted) && upTo >= wanted[next].share - 1e-12; ++next)
                *wanted[next].value = std::min(IntegerCounts::valueOf(slot), m_max);
        });
        return figures;
    }

    /// By slot: the middle of the shares below and up to its value.
    std::vector<double> midRanks() const
    {
        std::vector<double> ranks;
        forEachSlot([&](std::size_t slot, double below, double upTo) {
            ranks.resize(slot + 1);
            ranks[slot] = (below + upTo) / 2;
        });
        return ranks;
    }

private:
    struct Share
    {
        double share;
        IntegerCounts counts;
    };

    template <typename F> void forEachSlot(F&& fn) const
    {
        std::size_t end = 0;
        for (const Share& each : m_shares)
            end = std::max(end, each.counts.slotCount());
        std::vector<std::uint64_t> upTo(m_shares.size());
        double below = 0;
        for (std::size_t slot = 0; slot < end; ++slot) {
            bool any = false;
            for (std::size_t i = 0; i < m_shares.size(); ++i) {
                const std::uint64_t n = m_shares[i].counts.inSlot(slot);
                upTo[i] += n;
                any = any || n > 0;
            }
            if (!any)
                continue;
            double share = 0;
            for (std::size_t i = 0; i < m_shares.size(); ++i)
                share += m_shares[i].share * (static_cast<double>(upTo[i]) /
                                              static_cast<double>(m_shares[i].counts.total()));
            fn(slot, below, share);
            below = share;
        }
    }

    std::vector<Share> m_shares;
    double m_mean = 0;
    std::int64_t m_max = 0;
};

/// Pearson's coefficient of the mid-ranks, whose mean is one half.
std::optional<double> correlationOf(std::span<const LengthPart> parts, const Side& prompt, const Side& output)
{
    const std::vector<double> promptRanks = prompt.midRanks(), outputRanks = output.midRanks();
    double po = 0, pp = 0, oo = 0;
    for (const LengthPart& part : parts) {
        const double weight = part.share / static_cast<double>(part.pairs.size());
        for (const LengthPair& pair : part.pairs) {
            const double p = promptRanks[IntegerCounts::slotOf(pair.promptTokens)] - 0.5;
            const double o = outputRanks[IntegerCounts::slotOf(pair.outputTokens)] - 0.5;
            po += weight * p * o;
            pp += weight * p * p;
            oo += weight * o * o;
        }
    }
    // A side that does not vary has rank one half throughout, but for the last bits.
    if (pp < 1e-20 || oo < 1e-20)
        return std::nullopt;
    return std::clamp(po / std::sqrt(pp * oo), -1.0, 1.0);
}

nlohmann::ordered_json figuresJson(const LengthFigures& figures)
{
    const auto side = [](const TokenFigures& f) {
        return nlohmann::ordered_json{{"mean", f.mean}, {"p50", f.p50}, {"p90", f.p90},
                                      {"p95", f.p95},   {"p99", f.p99}, {"max", f.max}};
    };
    return {{"prompt_tokens", side(figures.prompt)},
            {"output_tokens", side(figures.output)},
            {"rank_correlation", figures.rankCorrelation ? nlohmann::ordered_json(*figures.rankCorrelation)
                                                         : nlohmann::ordered_json()}};
}

LengthFigures figuresFrom(const nlohmann::json& json)
{
    const auto side = [](const nlohmann::json& j) {
        return TokenFigures{j.at("mean"), j.at("p50"), j.at("p90"), j.at("p95"), j.at("p99"), j.at("max")};
    };
    LengthFigures figures{side(json.at("prompt_tokens")), side(json.at("output_tokens")), {}};
    if (const nlohmann::json& correlation = json.at("rank_correlation"); !correlation.is_null())
        figures.rankCorrelation = correlation.get<double>();
    return figures;
}

} // namespace

LengthFigures lengthFigures(std::span<const LengthPart> parts)
{
    const Side prompt(parts, &LengthPair::promptTokens), output(parts, &LengthPair::outputTokens);
    return {prompt.figures(), output.figures(), correlationOf(parts, prompt, output)};
}

std::optional<double> rankCorrelation(std::span<const LengthPair> pairs)
{
    if (pairs.empty())
        return std::nullopt;
    const LengthPart all[] = {{{}, 1, {pairs.begin(), pairs.end()}}};
    return lengthFigures(all).rankCorrelation;
}

AskedLengths askedLengths(std::span<const LengthPart> parts)
{
    AskedLengths asked{lengthFigures(parts), {}};
    if (parts.size() == 1 && parts[0].name.empty())
        return asked;
    for (const LengthPart& part : parts) {
        const LengthPart alone[] = {{part.name, 1, part.pairs}};
        asked.parts.push_back({part.name, part.share, lengthFigures(alone)});
    }
    return asked;
}

nlohmann::ordered_json askedLengthsToJson(const AskedLengths& lengths)
{
    nlohmann::ordered_json json = figuresJson(lengths.all);
    json["parts"] = nlohmann::ordered_json::array();
    for (const AskedLengths::Part& part : lengths.parts) {
        nlohmann::ordered_json item = {{"name", part.name}, {"share", part.share}};
        item.update(figuresJson(part.figures));
        json["parts"].push_back(std::move(item));
    }
    return json;
}

AskedLengths askedLengthsFromJson(const nlohmann::json& json)
{
    AskedLengths lengths{figuresFrom(json), {}};
    for (const nlohmann::json& part : json.at("parts"))
        lengths.parts.push_back({part.at("name"), part.at("share"), figuresFrom(part)});
    return lengths;
}

} // namespace tailmark
