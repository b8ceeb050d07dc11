// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/background_measures.h"

namespace tailmark {

namespace {

constexpr std::size_t kRows = 8'192, kBlocks = std::size_t{1} << 18; ///< of a batch, about

constexpr std::size_t kMaxRowBytes = std::size_t{512} << 20;

} // namespace

void KeptRows::add(const TraceRow& row, std::span<const BlockRun> blocks)
{
    const std::uint64_t number = m_added++;
    if (number % m_every != 0)
        return;
    if (m_rows.size() >= m_most ||
        ((m_rows.size() % 4'096 == 4'095 || blocks.size() > 1'024) && m_rows.bytes() > kMaxRowBytes)) {
        m_rows.thin();
        m_every *= 2;
        if (number % m_every != 0)
            return;
    }
    m_rows.push_back(row, blocks);
}

void KeptRows::moveTo(Trace& trace)
{
    trace.rows = std::move(m_rows);
    trace.sampledEvery = m_every;
}

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
        const std::span<const BlockRun> blocks = std::span(batch.blocks).subspan(begin, end - begin);
        m_measures.add(batch.rows[i], blocks, batch.blockSize);
        m_kept.add(batch.rows[i], blocks);
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
