// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/byte_source.h"
#include "workload/trace/row_reader.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// Records of delimited text (RFC 4180, with comma, semicolon, tab or bar): quoted cells may hold separators,
/// line ends and doubled quotes; LF, CRLF, a byte order mark and blank rows are all the same to it.
class CsvRecords
{
public:
    CsvRecords(ByteSource& source, char separator) : m_source(source), m_separator(separator) {}

    /// The next record that is not blank; valid until the one after it is asked for.
    bool next(std::string_view& record);
    /// The physical line that the record starts at, from 1.
    std::int64_t line() const { return m_line; }
    /// Why the record cannot be taken apart: broken_quotes; null where it can. Its lines are those up to the one with
    /// the quote that does not fit; the next record is what follows.
    const char* fault() const { return m_fault; }
    /// A record that is longer than ByteSource::kMaxWindow ended the reading.
    bool tooLong() const { return m_tooLong; }

private:
    bool endOf(std::size_t& end);
    bool hasQuote(std::string_view window, std::size_t from, std::size_t end);

    ByteSource& m_source;
    char m_separator;
    std::size_t m_consumed = 0; ///< of the window, by the record at hand
    std::size_t m_noQuoteBefore = 0; ///< of the window
    std::int64_t m_line = 0, m_nextLine = 1;
    bool m_tooLong = false;
    const char* m_fault = nullptr;
    int m_neverClosed = 0;
    bool m_quotesSpanLines = true; ///< until too many are never closed
    bool m_spansLines = false;     ///< the record at hand does
};

/// Cells of a record, up to a count that is enough; trimmed, without quotes. They point into the record, or,
/// where quotes were doubled, into `unquoted`.
void splitCells(std::string_view record, char separator, std::size_t enough,
                std::vector<std::string_view>& cells, std::deque<std::string>& unquoted);

/// What the first lines say of a table: its separator and names. Absent where there is no line with text.
struct CsvHead
{
    char separator = ',';
    std::vector<SourceName> names;
    std::deque<std::string> storage; ///< of the samples
};
std::optional<CsvHead> csvHead(std::string_view text, char separator);

/// Reads all rows. False when the user stopped it.
bool readCsv(ByteSource& source, char separator, bool header, RowReader& rows, TraceBuilder& builder,
             bool& tooLong);

} // namespace tailmark
