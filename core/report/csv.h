// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace tailmark {

/// Writes rows of RFC 4180 (CRLF line ends, quotes where they are needed). An absent value is an empty cell;
/// numbers are written so that reading them back gives the same value, times to the nanosecond that they were
/// measured to. A text that a spreadsheet would take
/// for a formula gets a leading apostrophe.
class CsvWriter
{
public:
    explicit CsvWriter(std::ostream& out) : m_out(out) {}

    CsvWriter& text(std::string_view value);
    CsvWriter& number(double value); ///< not finite: empty
    CsvWriter& number(const std::optional<double>& value);
    CsvWriter& milliseconds(const std::optional<double>& value);
    CsvWriter& integer(std::int64_t value);
    CsvWriter& flag(bool value); ///< "true", "false"
    CsvWriter& empty();
    void endRow();

private:
    void separate();

    std::ostream& m_out;
    std::string m_row;
    bool m_first = true;
};

} // namespace tailmark
