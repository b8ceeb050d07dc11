// SPDX-License-Identifier: GPL-3.0-or-later
// A trace: refused in one line, or rows in the order of time with lengths that can be asked for.
#include "fuzz.h"
#include "workload/trace/trace_import.h"

#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace tailmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const int file = memfd_create("trace", 0);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size));
    const Result<Trace> read = importTrace("/proc/self/fd/" + std::to_string(file));
    close(file);
    if (!read) {
        const std::string text = read.error().line();
        FUZZ_CHECK(!text.empty() && text.find('\n') == std::string::npos);
        return 0;
    }
    const Trace& trace = read.value();
    FUZZ_CHECK(!trace.format.empty() && !trace.rows.empty() && trace.rowsAccepted >= trace.rows.size());
    FUZZ_CHECK(trace.rowsRejected >= trace.rejected.size());
    Nanoseconds last{0};
    for (const TraceRow& row : trace.rows) {
        FUZZ_CHECK(row.line >= 1);
        FUZZ_CHECK(row.lengths.promptTokens > 0 && row.lengths.outputTokens > 0);
        if (!trace.timed())
            continue;
        FUZZ_CHECK(isPresent(row.arrival) && row.arrival >= last);
        last = row.arrival;
    }
    for (const RejectedRow& row : trace.rejected)
        FUZZ_CHECK(row.line >= 1 && !row.reason.empty());
    return 0;
}
