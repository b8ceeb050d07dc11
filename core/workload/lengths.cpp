// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lengths.h"

#include "base/rng.h"
#include "plan/mix.h"
#include "workload/prompt_file.h"
#include "workload/quantile_lengths.h"
#include "workload/trace/trace_import.h"

#include <boost/random/uniform_int_distribution.hpp>

namespace tailmark {

namespace {

/// Longest prompt or output that can be asked for, as for fixed lengths.
constexpr std::int32_t kMaxTokens = 2'000'000;

class FixedLengths final : public LengthSource
{
public:
    explicit FixedLengths(LengthPair pair) : m_parts{LengthPart{{}, 1, {pair}}} {}
    LengthPair draw(std::uint64_t, std::uint32_t) const override { return m_parts.front().pairs.front(); }
    const std::vector<LengthPart>& parts() const override { return m_parts; }

private:
    std::vector<LengthPart> m_parts;
};

/// Pairs of a log, each with the same chance at every draw; or, drawn independently, its prompts and its outputs.
class DrawnLengths final : public LengthSource
{
public:
    DrawnLengths(std::vector<LengthPair> pairs, LengthsDraw draw, std::string remark)
        : m_draw(draw), m_remark(std::move(remark))
    {
        if (m_draw == LengthsDraw::Independent)
            m_rows = pairs;
        m_parts.push_back({{}, 1, m_rows.empty() ? std::move(pairs) : separated(std::move(pairs))});
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        LengthPair pair = at(deriveSeed(seed, request));
        if (m_draw == LengthsDraw::Independent)
            pair.outputTokens = at(deriveSeed(seed, request, 1)).outputTokens;
        return pair;
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }
    std::string remark() const override { return m_remark; }

private:
    LengthPair at(std::uint64_t bits) const
    {
        // The high half of the product maps 32 random bits onto the rows without a division.
        const std::vector<LengthPair>& rows = m_rows.empty() ? m_parts.front().pairs : m_rows;
        return rows[static_cast<std::size_t>(((bits >> 32) * rows.size()) >> 32)];
    }
    /// Every prompt with every output; of a log with many rows each prompt with the output of another.
    static std::vector<LengthPair> separated(std::vector<LengthPair> pairs)
    {
        if (pairs.size() <= kAllWithAll) {
            std::vector<LengthPair> all;
            for (const LengthPair& prompt : pairs)
                for (const LengthPair& output : pairs)
                    all.push_back({prompt.promptTokens, output.outputTokens});
            return all;
        }
        Rng rng(1);
        for (std::size_t left = pairs.size(); left > 1; --left) {
            boost::random::uniform_int_distribution<std::size_t> pick(0, left - 1);
            std::swap(pairs[left - 1].outputTokens, pairs[pick(rng)].outputTokens);
        }
        return pairs;
    }

    static constexpr std::size_t kAllWithAll = 300;
    LengthsDraw m_draw;
    std::vector<LengthPair> m_rows; ///< where they are not drawn as they are
    std::vector<LengthPart> m_parts;
    std::string m_remark;
};

class MixedLengths final : public LengthSource
{
public:
    MixedLengths(const Lengths& mix, std::vector<std::shared_ptr<const LengthSource>> sources)
        : m_sources(std::move(sources))
    {
        m_weights.kind = LengthsKind::Mix;
        double total = 0;
        for (const MixPart& part : mix.parts)
            total += part.weight;
        for (std::size_t i = 0; i < mix.parts.size(); ++i) {
            m_weights.parts.emplace_back().weight = mix.parts[i].weight;
            m_parts.push_back(
                {mix.parts[i].name, mix.parts[i].weight / total, m_sources[i]->parts().front().pairs});
        }
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        const std::size_t part = partOf(seed, request);
        return m_sources[part]->draw(deriveSeed(seed, part + 1), request);
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }
    std::size_t partOf(std::uint64_t seed, std::uint32_t request) const override
    {
        return tailmark::partOf(m_weights, seed, request);
    }
    std::string remark() const override
    {
        std::string all;
        for (const auto& source : m_sources)
            if (const std::string remark = source->remark(); !remark.empty())
                all += (all.empty() ? "" : "; ") + remark;
        return all;
    }

private:
    std::vector<std::shared_ptr<const LengthSource>> m_sources;
    Lengths m_weights;
    std::vector<LengthPart> m_parts;
};

/// What changes the lengths that are drawn: never in silence.
std::string remarkOf(const std::string& file, const Trace& trace)
{
    std::string remark;
    const auto add = [&](const std::string& text) { remark += (remark.empty() ? file + ": " : "; ") + text; };
    if (trace.rowsRejected > 0) {
        const RejectedRow& first = trace.rejected.front();
        add(std::to_string(trace.rowsRejected) + " of " +
            std::to_string(trace.rowsRejected + trace.rowsAccepted) +
            " rows were refused, lengths are drawn from the others; the first: line " +
            std::to_string(first.line) + ": " + (first.field.empty() ? "" : first.field + " ") +
            first.reason);
    }
    if (trace.lengthUnit != "tokens")
        add("its lengths are " + trace.lengthUnit + ", taken as tokens");
    if (trace.sampledEvery > 1)
        add("lengths are drawn from one row in " + std::to_string(trace.sampledEvery));
    return remark;
}

} // namespace

Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths)
{
    switch (lengths.kind) {
    case LengthsKind::Fixed:
        return std::shared_ptr<const LengthSource>(
            std::make_shared<FixedLengths>(LengthPair{lengths.promptTokens, lengths.outputTokens}));
    case LengthsKind::Quantiles:
        return makeQuantileLengths(lengths);
    case LengthsKind::Mix: {
        std::vector<std::shared_ptr<const LengthSource>> sources;
        for (const MixPart& part : lengths.parts) {
            Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(part.lengths);
            if (!source)
                return source;
            sources.push_back(std::move(source).value());
        }
        return makeMix(lengths, std::move(sources));
    }
    case LengthsKind::Prompts: {
        Result<std::shared_ptr<const FilePrompts>> prompts = FilePrompts::read(lengths);
        if (!prompts)
            return prompts.error();
        return makePromptLengths(std::move(prompts).value());
    }
    case LengthsKind::Trace:
    case LengthsKind::Empirical:
        break;
    }
    const Result<Trace> trace = readTrace(lengths);
    if (!trace)
        return trace.error();
    return makeLengthSource(lengths, trace.value());
}

std::shared_ptr<const LengthSource> makeMix(const Lengths& mix,
                                            std::vector<std::shared_ptr<const LengthSource>> parts)
{
    return std::make_shared<MixedLengths>(mix, std::move(parts));
}

bool isDrawnFromLog(LengthsKind kind)
{
    return kind == LengthsKind::Trace || kind == LengthsKind::Empirical;
}

Result<Trace> readTrace(const Lengths& lengths)
{
    TraceOptions options;
    if (lengths.kind == LengthsKind::Empirical)
        options.pairs = true;
    else
        options.format = lengths.format;
    return importTrace(lengths.file, options);
}

Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths, const Trace& trace)
{
    std::vector<LengthPair> pairs;
    pairs.reserve(trace.rows.size());
    for (const TraceRow row : trace.rows) {
        if (row.lengths.promptTokens > kMaxTokens || row.lengths.outputTokens > kMaxTokens)
            return Error{ErrorCode::BadInput, lengths.file + ":" + std::to_string(row.line),
                         "has more than the 2,000,000 tokens that one request may have"};
        pairs.push_back(row.lengths);
    }
    return std::shared_ptr<const LengthSource>(
        std::make_shared<DrawnLengths>(std::move(pairs), lengths.draw, remarkOf(lengths.file, trace)));
}

} // namespace tailmark
