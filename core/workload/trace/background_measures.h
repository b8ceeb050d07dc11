// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/trace_measures.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <semaphore>
#include <thread>
#include <vector>

namespace tailmark {

/// The rows of a log that are kept, in bounded memory: every `every`th, evenly over the file whatever its length, and
/// known in one pass.
class KeptRows
{
public:
    explicit KeptRows(std::uint64_t most) : m_most(most) {}
    void expect(std::uint64_t rows) { m_rows.expect(std::min(rows, m_most)); }
    void add(const TraceRow& row, std::span<const BlockRun> blocks);
    /// Into `trace.rows` and `trace.sampledEvery`.
    void moveTo(Trace& trace);

private:
    TraceRows m_rows;
    std::uint64_t m_most, m_added = 0, m_every = 1;
};

/// Measures rows and keeps them on a thread of its own while the next ones are read: in the same order and with the same
/// result as one after another. A short log never starts the thread. Used by one thread.
class BackgroundMeasures
{
public:
    BackgroundMeasures(TraceMeasures& measures, KeptRows& kept) : m_measures(measures), m_kept(kept) {}
    ~BackgroundMeasures() { finish(); }
    BackgroundMeasures(const BackgroundMeasures&) = delete;
    BackgroundMeasures& operator=(const BackgroundMeasures&) = delete;

    void add(const TraceRow& row, std::span<const BlockRun> blocks, int blockSize);
    /// Until all rows are measured and kept; then none can be added.
    void finish();

private:
    static constexpr std::size_t kBatches = 3; ///< one is filled, one is measured, one is on its way
    struct Batch
    {
        std::vector<TraceRow> rows;
        std::vector<BlockRun> blocks;         ///< of all rows, one after another
        std::vector<std::uint32_t> blocksEnd; ///< per row
        int blockSize = 0;
        bool last = false;
    };
    void handOver();
    void work();
    void measure(const Batch& batch);

    TraceMeasures& m_measures;
    KeptRows& m_kept;
    std::array<Batch, kBatches> m_batches;
    std::size_t m_filling = 0;
    std::counting_semaphore<kBatches> m_empty{kBatches - 1}, m_full{0};
    std::jthread m_thread;
};

} // namespace tailmark
