// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/foreign_figures.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;

/// One description of the members, visited by writer and reader.
template <typename Figures, typename Visit> void describe(Figures& f, Visit&& visit)
{
    visit("tool", f.tool);
    visit("file", f.file);
    visit("duration_s", f.durationS);
    visit("completed", f.completed);
    visit("failed", f.failed);
    visit("requests_per_s", f.requestsPerS);
    visit("output_tokens_per_s", f.outputTokensPerS);
    visit("goodput_requests_per_s", f.goodputRequestsPerS);
    visit("concurrency", f.concurrency);
    visit("prompt_tokens", f.promptTokens);
    visit("output_tokens", f.outputTokens);
    visit("missing", f.missing);
}

template <typename Latency, typename Visit> void describeLatency(Latency& l, Visit&& visit)
{
    visit("mean", l.mean);
    visit("min", l.min);
    visit("max", l.max);
}

struct Write
{
    json& object;
    template <typename T> void operator()(const char* key, const std::optional<T>& member)
    {
        if (member)
            object[key] = *member;
    }
    template <typename T> void operator()(const char* key, const T& member) { object[key] = member; }
};

struct Read
{
    const json& object;
    template <typename T> void operator()(const char* key, std::optional<T>& member)
    {
        if (const auto it = object.find(key); it != object.end() && it->is_number())
            member = it->get<T>();
    }
    void operator()(const char* key, std::string& member)
    {
        if (const auto it = object.find(key); it != object.end() && it->is_string())
            member = it->get<std::string>();
    }
    void operator()(const char* key, std::vector<std::string>& members)
    {
        if (const auto it = object.find(key); it != object.end() && it->is_array())
            for (const json& item : *it)
                if (item.is_string())
                    members.push_back(item.get<std::string>());
    }
};

/// "99.9"; the keys of a JSON object are text.
std::string percentKey(double percent)
{
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, percent).ptr};
}

} // namespace

json foreignToJson(const ForeignFigures& figures)
{
    json object = json::object();
    describe(figures, Write{object});
    json& latencies = object["latencies"] = json::object();
    for (const auto& [id, latency] : figures.latencies) {
        json& entry = latencies[id] = json::object();
        describeLatency(latency, Write{entry});
        json& percentiles = entry["percentiles"] = json::object();
        for (const auto& [percent, ms] : latency.percentiles)
            percentiles[percentKey(percent)] = ms;
    }
    return object;
}

ForeignFigures foreignFromJson(const json& object)
{
    ForeignFigures figures;
    if (!object.is_object())
        return figures;
    describe(figures, Read{object});
    const auto latencies = object.find("latencies");
    if (latencies == object.end() || !latencies->is_object())
        return figures;
    for (const auto& [id, entry] : latencies->items()) {
        if (!entry.is_object())
            continue;
        ForeignFigures::Latency& latency = figures.latencies[id];
        describeLatency(latency, Read{entry});
        const auto percentiles = entry.find("percentiles");
        if (percentiles == entry.end() || !percentiles->is_object())
            continue;
        for (const auto& [key, ms] : percentiles->items()) {
            double percent = 0;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), percent);
            if (error == std::errc() && ms.is_number())
                latency.percentiles[percent] = ms.get<double>();
        }
    }
    return figures;
}

} // namespace tailmark
