// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/servegen.h"

#include "base/bounded_json.h"
#include "base/rng.h"
#include "workload/trace/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// Rows that stand for all requests of a client.
constexpr std::int64_t kSampleRows = 100'000;
constexpr double kWindowS = 600;

std::optional<double> numberIn(std::string_view cell)
{
    double number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    return error == std::errc() && end == cell.data() + cell.size() && std::isfinite(number)
               ? std::optional(number)
               : std::nullopt;
}

struct RateWindow
{
    double start = 0, rate = 0;
};

/// Null where the record is a window of ServeGen.
const char* readWindow(std::string_view record, RateWindow& window)
{
    std::vector<std::string_view> cells;
    std::deque<std::string> unquoted;
    splitCells(record, ',', 7, cells, unquoted);
    if (cells.size() != 6)
        return "missing_column";
    if (!cells[3].empty() && cells[3] != "Gamma" && cells[3] != "Weibull")
        return "unknown_family";
    const std::optional<double> start = numberIn(cells[0]), rate = numberIn(cells[1]);
    if (!start || *start < 0)
        return "bad_timestamp";
    if (!rate || *rate < 0)
        return "not_a_number";
    window = {*start, *rate};
    return nullptr;
}

/// Lengths with their probabilities, ascending.
struct Marginal
{
    std::vector<std::pair<std::int32_t, double>> cumulated;

    bool empty() const { return cumulated.empty(); }
    std::int32_t at(double p) const
    {
        const auto found =
            std::lower_bound(cumulated.begin(), cumulated.end(), p * cumulated.back().second,
                             [](const auto& entry, double value) { return entry.second <= value; });
        return found == cumulated.end() ? cumulated.back().first : found->first;
    }
};

/// "{45: 0.0097, 46: 0.0117}": a Python dictionary of lengths.
Marginal marginalOf(std::string_view text)
{
    std::map<std::int32_t, double> entries;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        const bool begins = *at >= '0' && *at <= '9';
        if (!begins) {
            ++at;
            continue;
        }
        double length = 0, p = 0;
        const auto afterLength = std::from_chars(at, end, length);
        at = std::find(afterLength.ptr, end, ':');
        at = std::find_if(at, end, [](char c) { return c >= '0' && c <= '9'; });
        const auto afterP = std::from_chars(at, end, p);
        if (afterLength.ec != std::errc() || afterP.ec != std::errc())
            break;
        at = afterP.ptr;
        if (length >= 1 && length <= 100'000'000 && p > 0)
            entries[static_cast<std::int32_t>(length)] += p;
    }
    Marginal marginal;
    double sum = 0;
    for (const auto& [length, p] : entries)
        marginal.cumulated.emplace_back(length, sum += p);
    return marginal;
}

struct LengthWindow
{
    Marginal prompt, output;
    double requests = 0; ///< of the rate windows in it
};

/// By start in s; empty where there is no file beside the rates, or none that can be read.
std::map<double, LengthWindow> lengthWindows(const std::string& path)
{
    std::string beside = path;
    if (const std::size_t at = beside.rfind("-trace.csv"); at != std::string::npos)
        beside.replace(at, std::string::npos, "-dataset.json");
    else
        return {};
    std::ifstream file(beside, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const nlohmann::json json = boundedJson(text.str());
    std::map<double, LengthWindow> windows;
    if (!json.is_object())
        return windows;
    for (const auto& [start, fields] : json.items()) {
        const std::optional<double> at = numberIn(start);
        if (!at || !fields.is_object())
            continue;
        const auto marginal = [&fields = fields](const char* key) { // clang 14 captures no binding by itself
            const auto found = fields.find(key);
            return found != fields.end() && found->is_string()
                       ? marginalOf(found->get_ref<const std::string&>())
                       : Marginal();
        };
        windows[*at] = {marginal("input_tokens"), marginal("output_tokens"), 0};
    }
    return windows;
}

} // namespace

bool looksLikeServeGen(std::string_view begin)
{
    RateWindow window;
    std::string_view line = begin.substr(0, begin.find('\n'));
    if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    return readWindow(line, window) == nullptr;
}

Result<bool> readServeGen(ByteSource& source, const std::string& path, const TraceOptions&,
                          TraceBuilder& builder)
{
    std::map<double, LengthWindow> lengths = lengthWindows(path);
    if (lengths.empty())
        return Error{
            ErrorCode::BadInput, "",
            "no_lengths: holds rates only, and no file with the lengths is beside it (…-trace.csv with "
            "…-dataset.json)"};
    builder.facts().format = "servegen";
    builder.facts().columns = {{"prompt", "input_tokens"}, {"output", "output_tokens"}};
    CsvRecords records(source, ',');
    std::string_view record;
    double requests = 0;
    while (records.next(record)) {
        RateWindow window;
        if (const char* reason = records.fault() ? records.fault() : readWindow(record, window)) {
            builder.reject(records.line(), "", reason);
            continue;
        }
        auto of = lengths.upper_bound(window.start);
        if (of != lengths.begin() && !std::prev(of)->second.prompt.empty() &&
            !std::prev(of)->second.output.empty()) {
            std::prev(of)->second.requests += window.rate * kWindowS;
            requests += window.rate * kWindowS;
        }
        if (!builder.goOn(source))
            return false;
    }
    if (requests < 1)
        return Error{ErrorCode::BadInput, "", "no_rows: no window has both a rate and lengths"};
    // As many as there were, or so many evenly spread over each distribution that nothing is left to chance.
    const auto rows = static_cast<double>(std::min<std::int64_t>(std::llround(requests), kSampleRows));
    std::uint64_t number = 0;
    for (const auto& [start, window] : lengths) {
        const auto n = static_cast<std::uint64_t>(std::llround(window.requests / requests * rows));
        std::vector<std::uint32_t> partner(n);
        for (std::uint32_t i = 0; i < n; ++i)
            partner[i] = i;
        for (std::uint64_t i = n; i > 1; --i) // a fixed shuffle, the same on every machine
            std::swap(partner[i - 1], partner[deriveSeed(number, i) % i]);
        for (std::uint64_t i = 0; i < n; ++i) {
            TraceRow row;
            row.line = static_cast<std::int64_t>(++number);
            row.lengths.promptTokens =
                window.prompt.at((static_cast<double>(i) + 0.5) / static_cast<double>(n));
            row.lengths.outputTokens =
                window.output.at((static_cast<double>(partner[i]) + 0.5) / static_cast<double>(n));
            builder.accept(row);
        }
    }
    builder.warn("lengths_from_marginals", 0);
    return true;
}

} // namespace tailmark
