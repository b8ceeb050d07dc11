// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "store/store.h"
#include "workload/lengths.h"
#include "workload/trace/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace tailmark {

/// Keeps a log under its hash, so that runs that name it always mean these rows. Nothing happens where it is
/// kept already, or where only a sample of its rows is in memory.
Status keepTrace(Store& store, const std::string& file, const Trace& trace);
/// The log with this hash, measured again from what is kept; absent where it is not. An error where what is
/// kept is damaged.
Result<std::optional<Trace>> keptTrace(const Store& store, const std::string& hash);

/// Lengths of one kind, read for a run.
struct ReadLengths
{
    Lengths lengths; ///< with the hash of the log that was read
    std::shared_ptr<const LengthSource> source;
    std::shared_ptr<const Trace> log; ///< null where lengths are of no log, and of a mix
    std::string warning; ///< where the file is not what the matrix names, or its rows are not kept
                         ///< together; mostly empty
};

/// Reads the file of lengths and keeps it. Where the matrix names the log by its hash and the file is another
/// by now, or gone, the rows that are kept are taken and the warning says so; it is an error where none are
/// kept.
Result<ReadLengths> readLengths(const Lengths& lengths, Store& store);

} // namespace tailmark
