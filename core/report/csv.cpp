// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.h"

#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

template <typename T> void appendNumber(std::string& row, T value)
{
    char buffer[32];
    row.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

bool looksLikeAFormula(std::string_view value)
{
    return !value.empty() && std::string_view("=+-@\t\r").find(value.front()) != std::string_view::npos;
}

} // namespace

void CsvWriter::separate()
{
    if (!m_first)
        m_row += ',';
    m_first = false;
}

CsvWriter& CsvWriter::text(std::string_view value)
{
    separate();
    const bool formula = looksLikeAFormula(value);
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
        if (formula)
            m_row += '\'';
        m_row += value;
        return *this;
    }
    m_row += formula ? "\"'" : "\"";
    for (const char c : value) {
        if (c == '"')
            m_row += '"';
        m_row += c;
    }
    m_row += '"';
    return *this;
}

CsvWriter& CsvWriter::number(double value)
{
    separate();
    if (std::isfinite(value))
        appendNumber(m_row, value);
    return *this;
}

CsvWriter& CsvWriter::number(const std::optional<double>& value)
{
    return value ? number(*value) : empty();
}

CsvWriter& CsvWriter::milliseconds(const std::optional<double>& value)
{
    // What lies below a nanosecond is the noise of binary fractions (12.340000000000002).
    return number(value ? std::optional(std::round(*value * 1e6) / 1e6) : std::nullopt);
}

CsvWriter& CsvWriter::integer(std::int64_t value)
{
    separate();
    appendNumber(m_row, value);
    return *this;
}

CsvWriter& CsvWriter::flag(bool value)
{
    separate();
    m_row += value ? "true" : "false";
    return *this;
}

CsvWriter& CsvWriter::empty()
{
    separate();
    return *this;
}

void CsvWriter::endRow()
{
    m_row += "\r\n";
    m_out.write(m_row.data(), static_cast<std::streamsize>(m_row.size()));
    m_row.clear();
    m_first = true;
}

} // namespace tailmark
