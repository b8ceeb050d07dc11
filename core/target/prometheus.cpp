// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prometheus.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tailmark {

namespace {

constexpr bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
constexpr bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

/// Takes one line apart from left to right.
class Cursor
{
public:
    explicit Cursor(std::string_view line) : m_rest(line) {}

    void skipBlanks()
    {
        while (!m_rest.empty() && isBlank(m_rest.front()))
            m_rest.remove_prefix(1);
    }
    bool atEnd() const { return m_rest.empty(); }
    bool take(char c)
    {
        if (m_rest.empty() || m_rest.front() != c)
            return false;
        m_rest.remove_prefix(1);
        return true;
    }
    /// Up to the next blank.
    std::string_view word()
    {
        std::size_t n = 0;
        while (n < m_rest.size() && !isBlank(m_rest[n]))
            ++n;
        return cut(n);
    }
    /// Empty where there is none.
    std::string_view name(bool withColons)
    {
        std::size_t n = 0;
        const auto fits = [&](char c) {
            return isLetter(c) || (withColons && c == ':') || (n > 0 && isDigit(c));
        };
        while (n < m_rest.size() && fits(m_rest[n]))
            ++n;
        return cut(n);
    }
    /// What stands between quotes, escapes as they are; absent where it is no such text.
    std::optional<std::string_view> quoted()
    {
        if (!take('"'))
            return std::nullopt;
        for (std::size_t n = 0; n < m_rest.size(); ++n) {
            if (m_rest[n] == '"') {
                const std::string_view text = cut(n);
                take('"');
                return text;
            }
            if (m_rest[n] == '\\') {
                ++n;
                if (n == m_rest.size() || (m_rest[n] != '\\' && m_rest[n] != '"' && m_rest[n] != 'n'))
                    return std::nullopt;
            }
        }
        return std::nullopt;
    }
    const char* position() const { return m_rest.data(); }

private:
    std::string_view cut(std::size_t n)
    {
        const std::string_view front = m_rest.substr(0, n);
        m_rest.remove_prefix(n);
        return front;
    }

    std::string_view m_rest;
};

/// Calls `onLabel(name, raw value)` for each label up to the closing brace; false where the format is broken.
template <typename OnLabel> bool readLabels(Cursor& cursor, OnLabel&& onLabel)
{
    cursor.skipBlanks();
    while (!cursor.take('}')) {
        const std::string_view name = cursor.name(false);
        cursor.skipBlanks();
        if (name.empty() || !cursor.take('='))
            return false;
        cursor.skipBlanks();
        const std::optional<std::string_view> value = cursor.quoted();
        if (!value)
            return false;
        onLabel(name, *value);
        cursor.skipBlanks();
        if (cursor.take(',')) {
            cursor.skipBlanks();
            continue; // a comma after the last label is allowed
        }
        if (!cursor.take('}'))
            return false;
        break;
    }
    return true;
}

std::string decoded(std::string_view raw)
{
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '\\') {
            ++i;
            text += raw[i] == 'n' ? '\n' : raw[i];
        } else {
            text += raw[i];
        }
    }
    return text;
}

/// As Go's strconv.ParseFloat takes it, but for hexadecimal numbers.
std::optional<double> numberIn(std::string_view word)
{
    std::string_view digits = word;
    if (digits.starts_with('+') || digits.starts_with('-'))
        digits.remove_prefix(1);
    // what follows the sign must begin as a number, NaN or Inf does; "nan(...)" is C's, not the format's
    if (digits.empty() || digits.front() == '-' || digits.find('(') != std::string_view::npos)
        return std::nullopt;
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return word.front() == '-' ? -value : value;
}

std::optional<PrometheusType> typeFrom(std::string_view word)
{
    constexpr std::array<std::pair<std::string_view, PrometheusType>, 6> kTypes{
        {{"counter", PrometheusType::Counter},
         {"gauge", PrometheusType::Gauge},
         {"histogram", PrometheusType::Histogram},
         {"summary", PrometheusType::Summary},
         {"untyped", PrometheusType::Untyped},
         {"unknown", PrometheusType::Untyped}}};
    for (const auto& [name, type] : kTypes)
        if (name == word)
            return type;
    return std::nullopt;
}

/// The lines of a metric carry its name, or its name and one of these endings.
bool belongsTo(std::string_view name, std::string_view metric)
{
    if (metric.empty() || !name.starts_with(metric))
        return false;
    const std::string_view ending = name.substr(metric.size());
    constexpr std::array<std::string_view, 6> kEndings = {"",       "_bucket", "_sum",
                                                          "_count", "_total",  "_created"};
    return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

} // namespace

std::optional<std::string> PrometheusSample::label(std::string_view wanted) const
{
    std::optional<std::string> found;
    const std::string closed = std::string(labels) + '}';
    Cursor cursor(closed);
    readLabels(cursor, [&](std::string_view labelName, std::string_view raw) {
        if (labelName == wanted)
            found = decoded(raw);
    });
    return found;
}

std::optional<PrometheusSample> PrometheusReader::next()
{
    while (!m_rest.empty()) {
        ++m_line;
        const std::size_t end = m_rest.find('\n');
        if (end == std::string_view::npos) {
            m_rest = {};
            reject("the last line is cut off");
            break;
        }
        const std::string_view line = m_rest.substr(0, end);
        m_rest.remove_prefix(end + 1);

        Cursor cursor(line);
        cursor.skipBlanks();
        if (cursor.atEnd())
            continue;
        if (cursor.take('#')) {
            readComment(line);
            continue;
        }
        PrometheusSample sample;
        sample.name = cursor.name(true);
        if (sample.name.empty()) {
            reject("no metric name");
            continue;
        }
        cursor.skipBlanks();
        const bool labelled = cursor.take('{');
        if (labelled) {
            const char* const begin = cursor.position();
            if (!readLabels(cursor, [](std::string_view, std::string_view) {})) {
                reject("labels that cannot be read");
                continue;
            }
            sample.labels = {begin, static_cast<std::size_t>(cursor.position() - begin) - 1};
            cursor.skipBlanks();
        }
        if (!labelled && cursor.position() == sample.name.data() + sample.name.size()) {
            reject("neither labels nor a value behind the name");
            continue;
        }
        const std::optional<double> value = numberIn(cursor.word());
        if (!value) {
            reject("the value is not a number");
            continue;
        }
        sample.value = *value;
        cursor.skipBlanks();
        if (!cursor.atEnd()) {
            const std::string_view word = cursor.word();
            std::int64_t timestamp = 0;
            const auto [stop, code] = std::from_chars(word.data(), word.data() + word.size(), timestamp);
            cursor.skipBlanks();
            if (code != std::errc() || stop != word.data() + word.size() || !cursor.atEnd()) {
                reject("something else than a time stamp behind the value");
                continue;
            }
            sample.timestampMs = timestamp;
        }
        if (belongsTo(sample.name, m_typedName))
            sample.type = m_type;
        return sample;
    }
    return std::nullopt;
}

/// "# TYPE name type" matters; "# HELP" and all other comments say nothing that is used.
void PrometheusReader::readComment(std::string_view line)
{
    Cursor cursor(line);
    cursor.skipBlanks();
    cursor.take('#');
    cursor.skipBlanks();
    const std::string_view keyword = cursor.word();
    if (keyword != "TYPE" && keyword != "HELP")
        return;
    cursor.skipBlanks();
    const std::string_view name = cursor.name(true);
    if (name.empty() ||
        (cursor.position() == name.data() + name.size() && !cursor.atEnd() && !isBlank(*cursor.position()))) {
        reject("no metric name");
        return;
    }
    if (keyword == "HELP")
        return;
    cursor.skipBlanks();
    const std::optional<PrometheusType> type = typeFrom(cursor.word());
    cursor.skipBlanks();
    if (!type || !cursor.atEnd()) {
        reject("an unknown type");
        return;
    }
    m_typedName = name;
    m_type = *type;
}

void PrometheusReader::reject(const char* why)
{
    if (m_malformed++ == 0) {
        m_errorLine = m_line;
        m_error = why;
    }
}

std::string PrometheusReader::firstError() const
{
    return m_malformed == 0 ? std::string() : "line " + std::to_string(m_errorLine) + ": " + m_error;
}

} // namespace tailmark
