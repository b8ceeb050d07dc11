// SPDX-License-Identifier: GPL-3.0-or-later
#include "foreign/result_file.h"

#include "base/bounded_json.h"
#include "base/percentile_text.h"
#include "foreign/tool_formats.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;

Error badInput(const std::string& source, std::string message)
{
    return {ErrorCode::BadInput, source, std::move(message)};
}

/// Python writes NaN and Infinity, which JSON has not: the one becomes null, the other the text "inf".
std::string withoutNonNumbers(const std::string& text)
{
    std::string clean;
    clean.reserve(text.size());
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            clean += c;
            if (c == '\\' && i + 1 < text.size())
                clean += text[++i];
            else if (c == '"')
                quoted = false;
        } else if (text.compare(i, 3, "NaN") == 0) {
            clean += "null";
            i += 2;
        } else if (const bool negative = c == '-'; text.compare(i + negative, 8, "Infinity") == 0) {
            clean += "\"inf\"";
            i += 7 + negative;
        } else {
            quoted = c == '"';
            clean += c;
        }
    }
    return clean;
}

/// One JSON value, or one a line.
Result<std::vector<json>> valuesOf(const std::string& text, const std::string& source)
{
    const std::string clean = withoutNonNumbers(text);
    if (isNestedTooDeep(clean))
        return badInput(source, "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    json whole = json::parse(clean, nullptr, false);
    if (whole.is_object())
        return std::vector<json>{std::move(whole)};
    if (whole.is_array())
        return whole.get<std::vector<json>>();
    std::vector<json> values;
    std::istringstream lines(clean);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        json value = json::parse(line, nullptr, false);
        if (!value.is_object())
            return badInput(source + ":" + std::to_string(number),
                            "is no JSON object; a result file is one JSON value, or one a line");
        values.push_back(std::move(value));
    }
    if (values.empty())
        return badInput(source, "is empty");
    return values;
}

std::string toolWords()
{
    std::string words;
    for (const ToolFormat& format : toolFormats())
        words += (words.empty() ? "" : ", ") + std::string(format.tool);
    return words;
}

Result<const ToolFormat*> formatOf(const json& root, const std::string& source, std::string_view tool)
{
    const std::span<const ToolFormat> formats = toolFormats();
    const auto recognised =
        std::ranges::find_if(formats, [&](const ToolFormat& format) { return format.recognises(root); });
    if (tool == "auto") {
        if (recognised == formats.end())
            return badInput(source, "is no result file that is known; name its tool: " + toolWords());
        return &*recognised;
    }
    const auto named = std::ranges::find(formats, tool, &ToolFormat::tool);
    if (named == formats.end())
        return badInput(source,
                        std::string(tool) + " is no tool that is known; allowed: auto, " + toolWords());
    if (recognised != formats.end() && !named->recognises(root))
        return badInput(source, "is by its keys a file of " + std::string(recognised->tool) + ", not of " +
                                    std::string(tool));
    return &*named;
}

std::string numberText(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

/// Nothing measured is below 0, and no percentile below a lower one.
std::optional<std::string> wrongIn(const ForeignFigures& f)
{
    const auto negative = [](const std::string& name, double value, const char* unit) {
        return name + " of " + numberText(value) + unit + ", which nothing measured is";
    };
    for (const auto& [id, latency] : f.latencies) {
        const std::string name = id == "ttft_ms" ? "TTFT" : id == "tpot_ms" ? "TPOT" : id == "itl_ms" ? "ITL" : "E2E";
        const std::pair<const char*, const std::optional<double>*> single[] = {
            {"mean ", &latency.mean}, {"least ", &latency.min}, {"largest ", &latency.max}};
        for (const auto& [what, value] : single)
            if (value->value_or(0) < 0)
                return negative(what + name, **value, " ms");
        const std::pair<const double, double>* before = nullptr;
        for (const auto& percentile : latency.percentiles) {
            const std::string which = percentileText(percentile.first) + " " + name;
            if (percentile.second < 0)
                return negative(which, percentile.second, " ms");
            if (before && percentile.second < before->second)
                return which + " of " + numberText(percentile.second) + " ms, below its " + percentileText(before->first) +
                       " of " + numberText(before->second) + " ms";
            before = &percentile;
        }
    }
    const std::pair<const char*, const std::optional<double>*> rates[] = {{"request rate", &f.requestsPerS},
                                                                         {"rate of output tokens", &f.outputTokensPerS},
                                                                         {"goodput", &f.goodputRequestsPerS}};
    for (const auto& [name, value] : rates)
        if (value->value_or(0) < 0)
            return negative(name, **value, "/s");
    return std::nullopt;
}

/// What a curve would need and the file does not have.
void nameMissing(ForeignFigures& f)
{
    const auto need = [&](bool told, std::string what) {
        if (!told)
            f.missing.push_back(std::move(what));
    };
    const std::pair<const char*, const char*> latencies[] = {{"ttft_ms", "TTFT"}, {"e2e_ms", "E2E"}};
    for (const auto& [id, name] : latencies) {
        const auto it = f.latencies.find(id);
        need(it != f.latencies.end(), name);
        if (it == f.latencies.end())
            continue;
        for (const double percent : {50.0, 99.0})
            need(it->second.percentiles.contains(percent), percentileText(percent) + " " + name);
    }
    need(f.latencies.contains("tpot_ms") || f.latencies.contains("itl_ms"), "time between tokens");
    need(f.requestsPerS.has_value(), "requests/s");
    need(f.outputTokensPerS.has_value(), "output tokens/s");
    need(f.completed.has_value(), "number of requests");
    need(f.failed.has_value(), "failed requests");
    need(f.promptTokens.has_value(), "prompt lengths");
    need(f.outputTokens.has_value(), "output lengths");
    need(f.durationS.has_value(), "duration");
}

} // namespace

std::span<const std::string_view> foreignToolIds()
{
    static const std::vector<std::string_view> ids = [] {
        std::vector<std::string_view> all;
        for (const ToolFormat& format : toolFormats())
            all.push_back(format.tool);
        return all;
    }();
    return ids;
}

Result<std::vector<ForeignLevel>> parseForeignResult(const std::string& text, const std::string& source,
                                                     std::string_view tool, const std::optional<Load>& load)
{
    const Result<std::vector<json>> values = valuesOf(text, source);
    if (!values)
        return values.error();
    std::vector<ForeignLevel> all;
    for (const json& root : values.value()) {
        const Result<const ToolFormat*> format = formatOf(root, source, tool);
        if (!format)
            return format.error();
        for (ForeignLevel& level : format.value()->levels(root)) {
            level.figures.tool = format.value()->tool;
            level.figures.file = std::filesystem::path(source).filename().string();
            if (load)
                level.load = *load;
            else if (!level.insteadOfLoad.empty())
                level.figures.missing.push_back(level.insteadOfLoad);
            if (!level.figures.outputTokensPerS && level.figures.latencies.empty())
                return badInput(source, "has neither a throughput nor a latency as " + level.figures.tool +
                                            " writes them");
            if (!(level.load.value > 0))
                return badInput(source, "does not tell its load; state it with --concurrency or --rate-per-s");
            if (const auto wrong = wrongIn(level.figures))
                return badInput(source, "has a " + *wrong);
            nameMissing(level.figures);
            all.push_back(std::move(level));
        }
    }
    return all;
}

Result<std::vector<ForeignLevel>> readForeignResult(const std::string& path, std::string_view tool,
                                                    const std::optional<Load>& load)
{
    constexpr std::uintmax_t kMostBytes = 64u * 1024 * 1024;
    std::error_code code;
    if (std::filesystem::is_directory(path, code))
        return badInput(path, "is a folder; must be a result file");
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    if (code)
        return badInput(path, "cannot be read: " + code.message());
    if (size > kMostBytes)
        return badInput(path, "is larger than 64 MiB");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
        return badInput(path, "cannot be read");
    return parseForeignResult(text, path, tool, load);
}

} // namespace tailmark
