// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <mutex>
#include <span>
#include <string_view>

namespace tailmark {

/// Finished records on their way from a generator thread to the runner. Two batches whose memory is taken and
/// touched beforehand change places, so that the generator neither allocates nor waits: under the lock it
/// copies one finished request, and the reader swaps. Memory grows only when nobody takes records for long.
class RecordBuffers
{
public:
    RecordBuffers();

    /// Generator thread. `record.chunkBegin`, `chunkCount` and `error` are set here; an empty error is none.
    void add(RequestRecord record, std::span<const ChunkRecord> chunks, std::string_view error);
    /// One reader thread: moves all that was added since the last call to the end of `out`.
    void take(RecordBatch& out);

private:
    std::mutex m_mutex;
    RecordBatch m_filling;  ///< under the lock
    RecordBatch m_draining; ///< the reader's
};

} // namespace tailmark
