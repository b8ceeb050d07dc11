// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/csv_reader.h"

#include "workload/trace/json_values.h"

#include <algorithm>
#include <cstring>

namespace tailmark {

namespace {

constexpr std::size_t kSampleRows = 1'000;

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

bool isBlank(std::string_view record, char separator)
{
    return std::all_of(record.begin(), record.end(),
                       [&](char c) { return c == ' ' || c == '\t' || c == '\r' || c == separator; });
}

/// How far the end of a quoted cell is looked for, and how many that have none within.
constexpr std::size_t kMaxQuoted = std::size_t{1} << 20;
constexpr int kMaxNeverClosed = 100;

/// Follows quotes through the lines of a record (RFC 4180): only one at the begin of a cell opens, and behind the one
/// that closes the cell ends.
class Quotes
{
public:
    explicit Quotes(char separator) : m_separator(separator) {}
    /// Whether a quote is still open behind the line.
    bool openAfter(std::string_view line)
    {
        m_openedHere = false;
        for (const char c : line) {
            switch (m_state) {
            case State::CellBegins:
                if (c == '"') {
                    m_state = State::Quoted;
                    m_openedHere = true;
                } else if (!endsCell(c) && !isBlank(c)) {
                    m_state = State::Plain;
                }
                break;
            case State::Plain:
                if (endsCell(c))
                    m_state = State::CellBegins;
                break;
            case State::Quoted:
                if (c == '"')
                    m_state = State::Closing;
                break;
            case State::Closing:
            case State::Closed:
                if (c == '"' && m_state == State::Closing)
                    m_state = State::Quoted; // a doubled one
                else if (endsCell(c))
                    m_state = State::CellBegins;
                else if (isBlank(c))
                    m_state = State::Closed;
                else
                    return m_broken = true;
                break;
            }
        }
        return m_state == State::Quoted;
    }
    /// There is text behind a quote that closes.
    bool broken() const { return m_broken; }
    /// The quote that was followed last was opened in the line that was given last.
    bool openedHere() const { return m_openedHere; }

private:
    enum class State { CellBegins, Plain, Quoted, Closing, Closed };
    bool endsCell(char c) const { return c == m_separator || c == '\n'; }
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    char m_separator;
    State m_state = State::CellBegins;
    bool m_broken = false, m_openedHere = false;
};

} // namespace

/// Whether there is a quote from `from` to `end` of the window: most logs have none, so that one look serves many records.
bool CsvRecords::hasQuote(std::string_view window, std::size_t from, std::size_t end)
{
    if (end <= m_noQuoteBefore)
        return false;
    const std::size_t quote = window.find('"', std::max(from, m_noQuoteBefore));
    m_noQuoteBefore = std::min(quote, window.size());
    return quote < end;
}

/// Where the record at the begin of the window ends; false where the file ends before it. A quote that does not fit,
/// because nothing closes it or text follows the one that does, concerns the line that it opens in: what closes it may
/// be the quote that opens a cell of another row.
bool CsvRecords::endOf(std::size_t& end)
{
    Quotes quotes(m_separator);
    m_fault = nullptr;
    m_spansLines = false;
    std::size_t from = 0, opened = 0; // begin of the line, end of the one that the open quote is in
    for (;;) {
        const std::string_view window = m_source.window();
        const void* found =
            window.size() > from ? std::memchr(window.data() + from, '\n', window.size() - from) : nullptr;
        end = found ? static_cast<std::size_t>(static_cast<const char*>(found) - window.data()) : window.size();
        const bool tooFar = from > 0 && end - opened > kMaxQuoted;
        if (!found && !tooFar && m_source.more())
            continue;
        if (!found && !tooFar && m_source.full()) {
            m_tooLong = true;
            return false;
        }
        bool open = from > 0;
        if (!tooFar) {
            if (from == 0 && !hasQuote(window, from, end))
                return found != nullptr;
            open = quotes.openAfter(window.substr(from, end - from + (found != nullptr)));
            if (!open)
                return found != nullptr;
            if (quotes.openedHere())
                opened = end;
        }
        const bool neverClosed = !quotes.broken() && (tooFar || !found || !m_quotesSpanLines);
        if (neverClosed && from > 0 && ++m_neverClosed >= kMaxNeverClosed)
            m_quotesSpanLines = false; // each costs a look far ahead
        if (quotes.broken() || neverClosed) {
            m_fault = "broken_quotes";
            const bool atEnd = opened == end && !found;
            end = opened;
            return !atEnd;
        }
        m_spansLines = true;
        from = end + 1;
    }
}

bool CsvRecords::next(std::string_view& record)
{
    for (;;) {
        m_source.consume(m_consumed);
        m_noQuoteBefore -= std::min(m_noQuoteBefore, m_consumed);
        m_consumed = 0;
        std::size_t end = 0;
        const bool whole = endOf(end);
        if ((!whole && end == 0) || m_tooLong)
            return false;
        record = m_source.window().substr(0, end);
        m_consumed = end + whole;
        m_line = m_nextLine;
        m_nextLine += 1 + (m_spansLines ? std::count(record.begin(), record.end(), '\n') : 0);
        if (m_line == 1 && record.starts_with("\xEF\xBB\xBF"))
            record.remove_prefix(3);
        if (!record.empty() && record.back() == '\r')
            record.remove_suffix(1);
        const char first = record.empty() ? ' ' : record.front();
        if ((first == ' ' || first == '\t' || first == m_separator || first == '\r') &&
            isBlank(record, m_separator))
            continue;
        return true;
    }
}

void splitCells(std::string_view record, char separator, std::size_t enough,
                std::vector<std::string_view>& cells, std::deque<std::string>& unquoted)
{
    cells.clear();
    const char* at = record.data();
    const char* const end = at + record.size();
    while (cells.size() < enough) {
        const char* begin = at;
        while (begin != end && (*begin == ' ' || *begin == '\t'))
            ++begin;
        if (begin != end && *begin == '"') {
            const char* close = begin + 1;
            bool doubled = false;
            while (close != end && (*close != '"' || (close + 1 != end && close[1] == '"'))) {
                doubled = doubled || *close == '"';
                close += *close == '"' ? 2 : 1;
            }
            std::string_view cell(begin + 1, static_cast<std::size_t>(close - begin - 1));
            if (doubled) {
                std::string text;
                for (std::size_t i = 0; i < cell.size(); ++i) {
                    text += cell[i];
                    i += cell[i] == '"';
                }
                cell = unquoted.emplace_back(std::move(text));
            }
            cells.push_back(trimmed(cell));
            at = close == end ? end : close + 1;
            const void* next =
                at == end ? nullptr : std::memchr(at, separator, static_cast<std::size_t>(end - at));
            if (!next)
                return;
            at = static_cast<const char*>(next) + 1;
            continue;
        }
        const void* next =
            begin == end ? nullptr : std::memchr(begin, separator, static_cast<std::size_t>(end - begin));
        const char* stop = next ? static_cast<const char*>(next) : end;
        std::string_view cell(begin, static_cast<std::size_t>(stop - begin));
        if (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t'))
            cell = trimmed(cell);
        cells.push_back(cell);
        if (!next)
            return;
        at = stop + 1;
    }
}

std::optional<CsvHead> csvHead(std::string_view text, char separator)
{
    CsvHead head;
    head.separator = separator;
    std::vector<std::string_view> cells;
    std::size_t rows = 0;
    bool haveNames = false;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    while (!text.empty() && rows < kSampleRows) {
        Quotes quotes(separator);
        std::size_t end = text.find('\n'), opened = end;
        for (std::size_t from = 0;
             end != std::string_view::npos && quotes.openAfter(text.substr(from, end + 1 - from));) {
            if (quotes.openedHere())
                opened = end;
            if (quotes.broken())
                break;
            from = end + 1;
            end = text.find('\n', from);
        }
        if (end == std::string_view::npos && haveNames && rows > 0)
            break; // perhaps cut by the end of what was read so far
        if (quotes.broken() || end == std::string_view::npos)
            end = opened;
        std::string_view record = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (isBlank(record, separator) || (haveNames && quotes.broken()))
            continue;
        if (!record.empty() && record.back() == '\r')
            record.remove_suffix(1);
        splitCells(record, separator, std::string_view::npos, cells, head.storage);
        if (!haveNames) {
            haveNames = true;
            for (std::size_t i = 0; i < cells.size(); ++i)
                head.names.push_back({std::string(cells[i]), i, {}, {}});
            continue;
        }
        ++rows;
        for (std::size_t i = 0; i < head.names.size() && head.names[i].path.empty(); ++i)
            head.names[i].samples.push_back(i < cells.size() ? FieldValue::of(cells[i]) : FieldValue());
        // Cells with an object inside, as exports have them for usage details.
        for (std::size_t i = 0; i < cells.size() && rows <= 20; ++i)
            if (cells[i].starts_with('{'))
                addNestedNames(cells[i], i, rows - 1, head.names, head.storage);
    }
    if (!haveNames)
        return std::nullopt;
    return head;
}

bool readCsv(ByteSource& source, char separator, bool header, RowReader& rows, TraceBuilder& builder,
             bool& tooLong)
{
    const Layout& layout = rows.layout();
    struct Wanted
    {
        std::size_t field, column;
        const std::vector<std::string>* path;
    };
    std::vector<Wanted> wanted;
    std::size_t enough = 1;
    for (std::size_t field = 0; field < kFieldCount; ++field) {
        if (!layout.sources[field])
            continue;
        wanted.push_back({field, layout.sources[field]->column, &layout.sources[field]->path});
        enough = std::max(enough, layout.sources[field]->column + 1);
    }
    // By the lines that are in memory.
    const std::string_view begin = source.window();
    const auto lines = static_cast<std::uint64_t>(std::count(begin.begin(), begin.end(), '\n'));
    if (!begin.empty())
        builder.expectRows(lines + lines * (source.unpackedSize() / begin.size()));
    CsvRecords records(source, separator);
    std::string_view record;
    std::vector<std::string_view> cells;
    std::deque<std::string> unquoted;
    FieldValues values;
    while (records.next(record)) {
        if (header) {
            header = false;
            continue;
        }
        if (records.fault()) {
            builder.reject(records.line(), "", records.fault());
            builder.warn(records.fault(), records.line());
            if (!builder.goOn(source))
                return false;
            continue;
        }
        if (!unquoted.empty())
            unquoted.clear();
        splitCells(record, separator, enough, cells, unquoted);
        for (const Wanted& each : wanted) {
            FieldValue& value = values[each.field];
            if (each.column >= cells.size())
                value = FieldValue();
            else if (each.path->empty())
                value = FieldValue::of(cells[each.column]);
            else
                value = nestedValue(cells[each.column], *each.path, unquoted);
        }
        rows.read(values, records.line());
        if (!builder.goOn(source))
            return false;
    }
    tooLong = records.tooLong();
    return true;
}

} // namespace tailmark
