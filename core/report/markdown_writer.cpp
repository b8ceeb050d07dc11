// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/document.h"

#include <algorithm>

namespace tailmark {

namespace {

/// Text that stays text: no mark-up of a name or message takes effect, and no line break leaves its place.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos)
            out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

class MarkdownWriter
{
public:
    std::string write(const ReportDocument& document)
    {
        m_text = "# " + escaped(document.title) + "\n\n" + escaped(document.subtitle) + "\n";
        for (const ReportSection& section : document.sections) {
            m_text += "\n## " + escaped(section.title) + "\n\n";
            for (const ReportBlock& block : section.blocks)
                std::visit([this](const auto& b) { write(b); }, block);
        }
        return m_text;
    }

private:
    void write(const Paragraph& paragraph)
    {
        const char* mark = paragraph.kind == Paragraph::Kind::Plain ? "" : "> ";
        m_text += mark + escaped(paragraph.text) + "\n\n";
    }

    void write(const ReportTable& table)
    {
        std::string rule = "|";
        m_text += "|";
        for (const ReportTable::Column& column : table.columns) {
            m_text += " " + escaped(column.title) + " |";
            rule += column.isNumber ? " ---: |" : " --- |";
        }
        m_text += "\n" + rule + "\n";
        for (const auto& row : table.rows) {
            m_text += "|";
            for (const std::string& cell : row)
                m_text += " " + escaped(cell) + " |";
            m_text += "\n";
        }
        m_text += "\n";
    }

    /// A chart has no place in plain text; the table beside it has the figures.
    void write(const Figure&) {}

    void write(const Listing& listing)
    {
        std::size_t longest = 0;
        std::size_t ticks = 0;
        for (const char c : listing.text) {
            ticks = c == '`' ? ticks + 1 : 0;
            longest = std::max(longest, ticks);
        }
        const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
        m_text += escaped(listing.title) + "\n\n" + fence + "\n" + listing.text + "\n" + fence + "\n\n";
    }

    std::string m_text;
};

} // namespace

std::string markdownOf(const ReportDocument& document)
{
    return MarkdownWriter().write(document);
}

} // namespace tailmark
