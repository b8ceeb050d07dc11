// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/trace_measures.h"

#include <array>
#include <semaphore>
#include <thread>
#include <vector>

namespace tailmark {

/// Measures rows on a thread of its own while the next ones are read: in the same order and with the same result
/// as TraceMeasures alone. A short log never starts the thread. Used by one thread.
class BackgroundMeasures
{
public:
    explicit BackgroundMeasures(TraceMeasures& measures) : m_measures(measures) {}
    ~BackgroundMeasures() { finish(); }
    BackgroundMeasures(const BackgroundMeasures&) = delete;
    BackgroundMeasures& operator=(const BackgroundMeasures&) = delete;

    void add(const TraceRow& row, std::span<const BlockRun> blocks, int blockSize);
    /// Until all rows are measured; then none can be added.
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
    std::array<Batch, kBatches> m_batches;
    std::size_t m_filling = 0;
    std::counting_semaphore<kBatches> m_empty{kBatches - 1}, m_full{0};
    std::jthread m_thread;
};

} // namespace tailmark
