// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailmark {

/// What the line "# TYPE" says of a metric; Untyped where there is none.
enum class PrometheusType : std::uint8_t { Untyped, Counter, Gauge, Histogram, Summary };

/// One series of an exposition. All views are into the text that is read.
struct PrometheusSample
{
    std::string_view name;   ///< as it stands: of a histogram with _bucket, _sum or _count
    std::string_view labels; ///< what stands between the braces, checked; empty without labels
    double value = 0;        ///< may be NaN or infinite
    std::optional<std::int64_t> timestampMs;
    PrometheusType type = PrometheusType::Untyped;

    /// The value of a label, escapes decoded; absent where the series does not have it.
    std::optional<std::string> label(std::string_view wanted) const;
};

/// Reads the Prometheus text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats),
/// sample by sample. Any bytes may come: allocates nothing, looks at each byte once, and takes a line either
/// as the format says or not at all. A line that breaks the format is counted and left out; so is a last line
/// without its line feed, since it may have been cut inside a number.
///
///     PrometheusReader reader(text);
///     while (const auto sample = reader.next())
///         …
///     if (reader.malformedLines() > 0) … reader.firstError()
class PrometheusReader
{
public:
    explicit PrometheusReader(std::string_view text) : m_rest(text) {}

    /// The next sample; absent at the end.
    std::optional<PrometheusSample> next();

    std::size_t malformedLines() const { return m_malformed; }
    /// "line 12: …"; empty when there was none.
    std::string firstError() const;

private:
    void readComment(std::string_view line);
    void reject(const char* why);

    std::string_view m_rest;
    std::size_t m_line = 0;
    std::size_t m_malformed = 0;
    std::size_t m_errorLine = 0;
    const char* m_error = "";
    std::string_view m_typedName; ///< of the "# TYPE" line read last: a metric's lines stand together
    PrometheusType m_type = PrometheusType::Untyped;
};

} // namespace tailmark
