// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "plan/plan.h"
#include "store/store.h"
#include "workload/lengths.h"
#include "workload/trace/trace.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tailmark {

/// Keeps a log under its hash, so that runs that name it always mean these rows. Nothing happens where it is
/// kept already, or where it cannot be.
Status keepTrace(Store& store, const std::string& file, const Trace& trace);
/// Why a log cannot be kept: only a sample of its rows is in memory. Empty where it can.
std::string whyNotKept(const Trace& trace);
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
/// The same without keeping anything; `library`: where logs are kept, null where there is none.
Result<ReadLengths> lookUpLengths(const Lengths& lengths, const Store* library);
/// Reads each file of lengths that the plan needs once. From here on the plan says which log is meant, whatever
/// becomes of the file. Errors: those of `read`, and real prompts that the target's API does not take.
Result<std::vector<ReadLengths>> readLengths(Plan& plan,
                                             const std::function<Result<ReadLengths>(const Lengths&)>& read);

} // namespace tailmark
