// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/document.h"
#include "report/svg.h"

namespace tailmark {

namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; --text: #1b1f24; --muted: #57606a; --page: #ffffff; --line: #d0d7de; --shade: #f3f5f8;
  --blue: #0b62c4; --red: #c0392b; --green: #14804a; --amber: #8a5a00; --orange: #c4560b; --teal: #0b8a84;
  --violet: #7a3fc0; --band: rgba(11, 98, 196, 0.10); }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --text: #e6e8eb; --muted: #9aa4af;
  --page: #14171b; --line: #343b44; --shade: #1d2228; --blue: #6cb2ff; --red: #ff8a7a; --green: #63d297; --amber: #f0c060;
  --orange: #ff9f57; --teal: #4fd0c8; --violet: #c39bff; --band: rgba(108, 178, 255, 0.14); } }
body { margin: 0 auto; max-width: 74rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 1.7rem; } h2 { margin: 2.2rem 0 0.6rem; font-size: 1.2rem; }
.subtitle, figcaption { color: var(--muted); } figure { margin: 1rem 0; }
.claim { padding: 0.7rem 1rem; border-left: 4px solid var(--blue); background: var(--shade); }
.warning { padding: 0.5rem 1rem; border-left: 4px solid var(--amber); background: var(--shade); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.6rem 0; font-size: 0.84rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.28rem 0.55rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.long { overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
th[title] { text-decoration: underline dotted; cursor: help; }
.number { text-align: right; } td.number, td.name { white-space: nowrap; }
pre { padding: 0.8rem; background: var(--shade); font-size: 0.82rem; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; max-width: 60rem; font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
svg text { fill: var(--text); } svg .tick { fill: var(--muted); }
svg .point-label { font-weight: 600; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.grid { stroke: var(--line); stroke-width: 0.6; } .axis { stroke: var(--muted); }
.curve { fill: none; stroke: var(--blue); stroke-width: 2; } .whisker { stroke: var(--muted); stroke-width: 1.4; }
.passing { fill: var(--green); } .failing { fill: var(--red); }
.invalid { fill: var(--page); stroke: var(--muted); stroke-width: 1.6; stroke-dasharray: 2 2; }
.series-0 { --series: var(--blue); } .series-1 { --series: var(--orange); } .series-2 { --series: var(--teal); }
.series-3 { --series: var(--violet); } .series-4 { --series: var(--amber); } .series-5 { --series: var(--muted); }
.curve.series-0, .curve.series-1, .curve.series-2, .curve.series-3, .curve.series-4, .curve.series-5 { stroke: var(--series); }
.mark { fill: var(--series); }
.limit { stroke: var(--red); stroke-dasharray: 7 5; stroke-width: 1.6; } svg .limit-label { fill: var(--red); }
.bracket { fill: var(--band); } .crossing { fill: none; stroke: var(--blue); stroke-width: 2.6; }
.bound { fill: none; stroke: var(--muted); stroke-width: 1.6; stroke-dasharray: 8 3 2 3; } .bound-mark { fill: var(--muted); }
.crossing-line { stroke: var(--blue); stroke-dasharray: 2 4; }
@page { size: A4; margin: 14mm 12mm; }
@media print { body { max-width: none; padding: 0; font-size: 9.5pt; } .wide { overflow: visible; }
  table { font-size: 7.2pt; } th, td { padding: 0.16rem 0.3rem; } pre { font-size: 6.6pt; }
  thead { display: table-header-group; } tr, figure, .claim, .warning { break-inside: avoid; }
  h2 { break-after: avoid; } figcaption { font-size: 8pt; } svg { max-width: 165mm; } th[title] { text-decoration: none; } }
)";

/// Short enough to stand on one line in the first column.
bool isName(const std::string& text)
{
    constexpr std::size_t kLongestName = 32;
    return text.size() <= kLongestName;
}

/// Has a word, as a hash or an address, that may be broken so that its column does not widen the page.
bool hasLongWord(const std::string& text)
{
    constexpr std::size_t kLongestWord = 24;
    std::size_t word = 0;
    for (const char c : text) {
        word = c == ' ' ? 0 : word + 1;
        if (word > kLongestWord)
            return true;
    }
    return false;
}

class HtmlWriter
{
public:
    std::string write(const ReportDocument& document)
    {
        m_html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
                 escapeMarkup(document.title) + "</title>\n<style>" + std::string(kStyle) +
                 "</style>\n</head>\n<body>\n" + "<header>\n<h1>" + escapeMarkup(document.title) +
                 "</h1>\n<p class=\"subtitle\">" + escapeMarkup(document.subtitle) +
                 "</p>\n</header>\n<main>\n";
        for (const ReportSection& section : document.sections) {
            m_html += "<section>\n<h2>" + escapeMarkup(section.title) + "</h2>\n";
            for (const ReportBlock& block : section.blocks)
                std::visit([this](const auto& b) { write(b); }, block);
            m_html += "</section>\n";
        }
        return m_html + "</main>\n<footer><p class=\"subtitle\">Tailmark " TAILMARK_VERSION
                        "</p></footer>\n</body>\n</html>\n";
    }

private:
    void write(const Paragraph& paragraph)
    {
        const char* open = paragraph.kind == Paragraph::Kind::Claim     ? "<p class=\"claim\">"
                           : paragraph.kind == Paragraph::Kind::Warning ? "<p class=\"warning\">"
                                                                        : "<p>";
        m_html += open + escapeMarkup(paragraph.text) + "</p>\n";
    }

    void write(const ReportTable& table)
    {
        m_html += "<div class=\"wide\"><table>\n<thead><tr>";
        for (const ReportTable::Column& column : table.columns) {
            m_html += "<th scope=\"col\"";
            if (column.isNumber)
                m_html += " class=\"number\"";
            if (!column.tooltip.empty())
                m_html += " title=\"" + escapeMarkup(column.tooltip) + "\"";
            m_html += ">" + escapeMarkup(column.title) + "</th>";
        }
        m_html += "</tr></thead>\n<tbody>\n";
        for (const auto& row : table.rows) {
            m_html += "<tr>";
            for (std::size_t i = 0; i < row.size(); ++i)
                m_html += (table.columns[i].isNumber     ? "<td class=\"number\">"
                           : i == 0 && isName(row[i]) ? "<td class=\"name\">"
                           : hasLongWord(row[i])       ? "<td class=\"long\">"
                                                       : "<td>") +
                          escapeMarkup(row[i]) + "</td>";
            m_html += "</tr>\n";
        }
        m_html += "</tbody>\n</table></div>\n";
    }

    void write(const Figure& figure)
    {
        m_html += "<figure>" + figure.svg + "<figcaption>" + escapeMarkup(figure.caption) +
                  "</figcaption></figure>\n";
    }

    void write(const Listing& listing)
    {
        m_html += "<p>" + escapeMarkup(listing.title) + "</p><pre>" + escapeMarkup(listing.text) + "</pre>\n";
    }

    std::string m_html;
};

} // namespace

std::string htmlOf(const ReportDocument& document)
{
    return HtmlWriter().write(document);
}

} // namespace tailmark
