// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/sha256.h"
#include "workload/trace/trace.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailmark {

// The canonical form of a log: what it says of its requests and nothing of how it says it, so that a copy
// with other line ends, columns or packing has the same bytes. Rows in the order of time where they have one
// (arrivals as differences, so that the day does not matter), else of the file.
//
// A row: a byte that says which values follow, then whole numbers of variable length, seven bits a byte, low
// ones first, signed ones zigzag: prompt, output, and where told the step from the arrival before, cached
// tokens, session, turn, think time in ns, model, and the chain of blocks (number of runs, then first and
// count of each). A trailer: unit of lengths, clock, size of a block, names of models.

class CanonicalEncoder
{
public:
    void add(const TraceRow& row, std::span<const BlockRun> blocks, std::string& out);
    static void addTrailer(const Trace& trace, std::string& out);

private:
    Nanoseconds m_last{0};
    bool m_started = false;
};

/// Reads rows back, one after another.
class CanonicalDecoder
{
public:
    explicit CanonicalDecoder(std::string_view bytes) : m_bytes(bytes) {}
    /// False at the end, or where the bytes are none of ours (`damaged`).
    bool next(TraceRow& row, std::vector<BlockRun>& blocks);
    /// After the last row: unit, clock, block size and models. False where damaged.
    bool trailer(Trace& trace);
    bool damaged() const { return m_damaged; }

private:
    std::uint64_t number();
    std::int64_t signedNumber();
    std::string text();

    std::string_view m_bytes;
    Nanoseconds m_last{0};
    bool m_damaged = false;
};

/// The hash of rows as they come, without keeping them.
class CanonicalHash
{
public:
    void add(const TraceRow& row, std::span<const BlockRun> blocks);
    std::string finish(const Trace& trace);

private:
    CanonicalEncoder m_encoder;
    std::string m_pending;
    Sha256 m_hash;
};

/// All rows of a trace that is no sample.
std::string canonicalRows(const Trace& trace);

} // namespace tailmark
