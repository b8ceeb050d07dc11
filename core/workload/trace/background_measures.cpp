// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/background_measures.h"

namespace tailmark {

namespace {

constexpr std::size_t kRows = 8'192, kBlocks = std::size_t{1} << 18; ///< of a batch, about

} // namespace

void BackgroundMeasures::add(const TraceRow& row, std::span<const BlockRun> blocks, int blockSize)
{
    Batch& batch = m_batches[m_filling];
    batch.rows.push_back(row);
    batch.blocks.insert(batch.blocks.end(), blocks.begin(), blocks.end());
    batch.blocksEnd.push_back(static_cast<std::uint32_t>(batch.blocks.size()));
    batch.blockSize = blockSize;
    if (batch.rows.size() >= kRows || batch.blocks.size() >= kBlocks)
        handOver();
}

void BackgroundMeasures::handOver()
{
    if (!m_thread.joinable())
        m_thread = std::jthread([this] { work(); });
    m_full.release();
    m_empty.acquire();
    m_filling = (m_filling + 1) % kBatches;
    Batch& next = m_batches[m_filling];
    next.rows.clear();
    next.blocks.clear();
    next.blocksEnd.clear();
}

void BackgroundMeasures::work()
{
    for (std::size_t at = 0;; at = (at + 1) % kBatches) {
        m_full.acquire();
        measure(m_batches[at]);
        if (m_batches[at].last)
            return;
        m_empty.release();
    }
}

void BackgroundMeasures::measure(const Batch& batch)
{
    std::size_t begin = 0;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
        const std::size_t end = batch.blocksEnd[i];
        m_measures.add(batch.rows[i], std::span(batch.blocks).subspan(begin, end - begin), batch.blockSize);
        begin = end;
    }
}

void BackgroundMeasures::finish()
{
    Batch& batch = m_batches[m_filling];
    if (m_thread.joinable()) {
        batch.last = true;
        m_full.release();
        m_thread.join();
    } else {
        measure(batch);
    }
    batch.rows.clear();
}

} // namespace tailmark
