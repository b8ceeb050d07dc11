// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_formats.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace tailmark {

/// Turns flat records, in whatever file they stand, into rows: the one place that says what a request needs.
class RowReader
{
public:
    RowReader(Layout layout, const TraceOptions& options, TraceBuilder& rows, bool decimalComma = false);

    const Layout& layout() const { return m_layout; }
    /// One record; `ids` are its blocks where they were no text.
    void read(const FieldValues& values, std::int64_t line, std::vector<IdRun>* ids = nullptr);

private:
    const FieldValue& value(const FieldValues& values, Field field) const
    {
        return values[static_cast<std::size_t>(field)];
    }
    /// The first field that is wrong and why; null where the row is good.
    const char* readInto(TraceRow& row, const FieldValues& values, Field& wrong);
    void readNames(TraceRow& row, const FieldValues& values);

    Layout m_layout;
    const TraceOptions& m_options;
    TraceBuilder& m_rows;
    bool m_decimalComma;
    bool m_timed, m_total, m_cached, m_named, m_think, m_turn, m_blocks;
    std::vector<IdRun> m_ids;
    std::string m_name;
    std::unordered_map<std::string, std::int32_t>
        m_conversations; ///< of requests that name the one before them
};

} // namespace tailmark
