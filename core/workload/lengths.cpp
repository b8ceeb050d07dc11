// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lengths.h"

#include "base/rng.h"
#include "workload/trace/trace_import.h"

namespace tailmark {

namespace {

/// Longest prompt or output that can be asked for, as for fixed lengths.
constexpr std::int32_t kMaxTokens = 2'000'000;

class FixedLengths final : public LengthSource
{
public:
    explicit FixedLengths(LengthPair pair) : m_pairs{pair} {}
    LengthPair draw(std::uint64_t, std::uint32_t) const override { return m_pairs.front(); }
    const std::vector<LengthPair>& pairs() const override { return m_pairs; }

private:
    std::vector<LengthPair> m_pairs;
};

/// Pairs of a log, each with the same chance at every draw.
class DrawnLengths final : public LengthSource
{
public:
    DrawnLengths(std::vector<LengthPair> pairs, std::string remark)
        : m_pairs(std::move(pairs)), m_remark(std::move(remark))
    {
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        // The high half of the product maps 32 random bits onto the pairs without a division.
        const std::uint64_t bits = deriveSeed(seed, request) >> 32;
        return m_pairs[static_cast<std::size_t>((bits * m_pairs.size()) >> 32)];
    }
    const std::vector<LengthPair>& pairs() const override { return m_pairs; }
    std::string remark() const override { return m_remark; }

private:
    std::vector<LengthPair> m_pairs;
    std::string m_remark;
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
    if (lengths.kind == LengthsKind::Fixed)
        return std::shared_ptr<const LengthSource>(
            std::make_shared<FixedLengths>(LengthPair{lengths.promptTokens, lengths.outputTokens}));

    const Result<Trace> trace = readTrace(lengths);
    if (!trace)
        return trace.error();
    return makeLengthSource(lengths, trace.value());
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
        std::make_shared<DrawnLengths>(std::move(pairs), remarkOf(lengths.file, trace)));
}

} // namespace tailmark
