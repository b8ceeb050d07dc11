// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/canonical_rows.h"

namespace tailmark {

namespace {

constexpr std::size_t kMostUsual = 24; ///< bytes of a row without blocks

enum Told : unsigned char {
    kArrival = 1,
    kCached = 2,
    kSession = 4,
    kTurn = 8,
    kThink = 16,
    kModel = 32,
    kBlocks = 64,
    kEnd = 128, ///< no row: the trailer follows
};

/// The values of one row, without its blocks, at their longest.
class RowBytes
{
public:
    explicit RowBytes(unsigned flags) { m_bytes[m_size++] = static_cast<char>(flags); }
    void number(std::uint64_t value)
    {
        while (value >= 0x80) {
            m_bytes[m_size++] = static_cast<char>(value | 0x80);
            value >>= 7;
        }
        m_bytes[m_size++] = static_cast<char>(value);
    }
    void signedNumber(std::int64_t value)
    {
        number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    }
    std::string_view text() const { return {m_bytes, m_size}; }

private:
    char m_bytes[1 + 8 * 10]; ///< eight numbers of 64 bits
    std::size_t m_size = 0;
};

void putNumber(std::uint64_t value, std::string& out)
{
    while (value >= 0x80) {
        out += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    out += static_cast<char>(value);
}

void putText(std::string_view text, std::string& out)
{
    putNumber(text.size(), out);
    out += text;
}

} // namespace

void CanonicalEncoder::add(const TraceRow& row, std::span<const BlockRun> blocks, std::string& out)
{
    const auto told = [](std::int32_t value) { return value != TraceRow::kNotTold; };
    unsigned flags = 0;
    flags |= isPresent(row.arrival) ? kArrival : 0;
    flags |= told(row.cachedTokens) ? kCached : 0;
    flags |= told(row.session) ? kSession : 0;
    flags |= told(row.turn) ? kTurn : 0;
    flags |= isPresent(row.thinkTime) ? kThink : 0;
    flags |= told(row.model) ? kModel : 0;
    flags |= !blocks.empty() ? kBlocks : 0;
    RowBytes bytes(flags);
    bytes.number(static_cast<std::uint64_t>(row.lengths.promptTokens));
    bytes.number(static_cast<std::uint64_t>(row.lengths.outputTokens));
    if (flags & kArrival) {
        if (!m_started)
            m_last = row.arrival;
        m_started = true;
        bytes.signedNumber((row.arrival - m_last).count());
        m_last = row.arrival;
    }
    if (flags & kCached)
        bytes.number(static_cast<std::uint64_t>(row.cachedTokens));
    if (flags & kSession)
        bytes.number(static_cast<std::uint64_t>(row.session));
    if (flags & kTurn)
        bytes.number(static_cast<std::uint64_t>(row.turn));
    if (flags & kThink)
        bytes.signedNumber(row.thinkTime.count());
    if (flags & kModel)
        bytes.number(static_cast<std::uint64_t>(row.model));
    out += bytes.text();
    if (flags & kBlocks) {
        putNumber(blocks.size(), out);
        for (const BlockRun& run : blocks) {
            putNumber(run.first, out);
            putNumber(run.count, out);
        }
    }
}

void CanonicalEncoder::addTrailer(const Trace& trace, std::string& out)
{
    out += static_cast<char>(kEnd);
    putText(trace.lengthUnit, out);
    putNumber(trace.sessionClock, out);
    putNumber(static_cast<std::uint64_t>(trace.blockSize), out);
    putNumber(trace.models.size(), out);
    for (const std::string& model : trace.models)
        putText(model, out);
}

std::uint64_t CanonicalDecoder::number()
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (m_bytes.empty())
            break;
        const auto byte = static_cast<unsigned char>(m_bytes.front());
        m_bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    m_damaged = true;
    return 0;
}

std::int64_t CanonicalDecoder::signedNumber()
{
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

std::string CanonicalDecoder::text()
{
    const std::uint64_t size = number();
    if (size > m_bytes.size()) {
        m_damaged = true;
        return {};
    }
    std::string result(m_bytes.substr(0, size));
    m_bytes.remove_prefix(size);
    return result;
}

bool CanonicalDecoder::next(TraceRow& row, std::vector<BlockRun>& blocks)
{
    blocks.clear();
    m_damaged = m_damaged || m_bytes.empty();
    if (m_damaged || static_cast<unsigned char>(m_bytes.front()) & kEnd)
        return false;
    const auto flags = static_cast<unsigned char>(m_bytes.front());
    m_bytes.remove_prefix(1);
    row = TraceRow();
    row.lengths.promptTokens = static_cast<std::int32_t>(number());
    row.lengths.outputTokens = static_cast<std::int32_t>(number());
    if (flags & kArrival) {
        std::int64_t arrival = 0;
        m_damaged = m_damaged || __builtin_add_overflow(m_last.count(), signedNumber(), &arrival);
        row.arrival = m_last = Nanoseconds(arrival);
    }
    if (flags & kCached)
        row.cachedTokens = static_cast<std::int32_t>(number());
    if (flags & kSession)
        row.session = static_cast<std::int32_t>(number());
    if (flags & kTurn)
        row.turn = static_cast<std::int32_t>(number());
    if (flags & kThink)
        row.thinkTime = Nanoseconds(signedNumber());
    if (flags & kModel)
        row.model = static_cast<std::int32_t>(number());
    if (flags & kBlocks) {
        for (std::uint64_t left = number(); left > 0 && !m_damaged; --left) {
            const auto first = static_cast<std::uint32_t>(number());
            const auto count = static_cast<std::uint32_t>(number());
            m_damaged = m_damaged || row.lengths.promptTokens < 0 || count > 100'000'000 ||
                        first > 0xffff'ffff - count;
            blocks.push_back({first, count});
        }
    }
    m_damaged = m_damaged || row.lengths.promptTokens < 0 || row.lengths.outputTokens < 0;
    return !m_damaged;
}

bool CanonicalDecoder::trailer(Trace& trace)
{
    if (m_damaged || m_bytes.empty())
        return false;
    m_bytes.remove_prefix(1);
    trace.lengthUnit = text();
    trace.sessionClock = number() != 0;
    trace.blockSize = static_cast<int>(number());
    for (std::uint64_t left = number(); left > 0 && !m_damaged; --left)
        trace.models.push_back(text());
    return !m_damaged && m_bytes.empty();
}

void CanonicalHash::add(const TraceRow& row, std::span<const BlockRun> blocks)
{
    m_encoder.add(row, blocks, m_pending);
    if (m_pending.size() >= 65'536) {
        m_hash.add(m_pending);
        m_pending.clear();
    }
}

std::string CanonicalHash::finish(const Trace& trace)
{
    CanonicalEncoder::addTrailer(trace, m_pending);
    m_hash.add(m_pending);
    return m_hash.hex();
}

std::string canonicalRows(const Trace& trace)
{
    CanonicalEncoder encoder;
    std::string bytes;
    bytes.reserve(trace.rows.size() * kMostUsual); // what stays untouched takes no memory, and growing would take it twice
    for (std::size_t i = 0; i < trace.rows.size(); ++i)
        encoder.add(trace.rows[i], trace.rows.blocks(i), bytes);
    CanonicalEncoder::addTrailer(trace, bytes);
    return bytes;
}

} // namespace tailmark
