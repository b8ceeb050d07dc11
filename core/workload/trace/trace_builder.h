// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/background_measures.h"
#include "workload/trace/block_numbers.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_import.h"
#include "workload/trace/trace_measures.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace tailmark {

/// Where every reader of a format puts its rows: keeps them in bounded memory, numbers what they name, counts
/// what is refused and measures the whole.
class TraceBuilder
{
public:
    TraceBuilder(const TraceOptions& options, std::string format);

    Trace& facts() { return m_trace; } ///< format, unit, clock, block size: set before the first row
    void setWholeBlocksOnly(bool only) { m_wholeBlocksOnly = only; } ///< the last partial block is not named

    /// Before the first row: about how many there will be.
    void expectRows(std::uint64_t rows) { m_kept.expect(rows); }
    /// A row with its times as the file has them. `scope`: ids of blocks mean the same within one only.
    void accept(TraceRow row, std::span<const IdRun> ids = {}, std::uint64_t scope = 0);
    void reject(std::int64_t line, std::string_view field, std::string_view reason);
    /// Counts a warning; its text names the first line.
    void warn(std::string_view code, std::int64_t line);
    std::int32_t session(std::string_view name); ///< kNotTold where there are too many to follow
    std::int32_t model(std::string_view name);

    /// To be asked for every record: tells the progress now and then. False when the user stopped it.
    bool goOn(const ByteSource& source)
    {
        return (++m_records & 0x1fff) != 0 || tellProgress(source.fractionRead());
    }
    /// No row, or a fault of the file, is an error; its message starts with a short code.
    Result<Trace> finish(const std::string& path);

private:
    bool tellProgress(double fractionRead);
    void remeasure();
    void tellWarnings();
    bool blocksFit(std::int32_t promptTokens, std::uint64_t blocks) const;

    const TraceOptions& m_options;
    Trace m_trace;
    std::unique_ptr<TraceMeasures> m_measures;
    KeptRows m_kept;
    std::unique_ptr<BackgroundMeasures> m_measuring; ///< while rows come
    BlockNumbers m_blocks;
    std::vector<BlockRun> m_runs; ///< of the row at hand
    bool m_followBlocks = true, m_wholeBlocksOnly = false;
    std::unordered_map<std::string, std::int32_t> m_sessions, m_models;
    struct Count
    {
        std::string code;
        std::uint64_t n = 0;
        std::int64_t line = 0;
    };
    std::vector<Count> m_warnings;
    std::uint64_t m_records = 0;
    Nanoseconds m_lastArrival = kAbsentTime;
    std::int64_t m_firstDisorder = 0; ///< line; 0 = none
    bool m_allTimed = true;
};

} // namespace tailmark
