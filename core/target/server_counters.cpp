// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/server_counters.h"

#include "target/address.h"
#include "target/prometheus.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

constexpr std::string_view kTotal = "_total";

void addSources(CounterSources& sources, const MetricsAccess& metrics)
{
    using enum ServerCounter;
    const std::pair<ServerCounter, const std::vector<MetricSource>&> all[] = {
        {Running, metrics.running},
        {Waiting, metrics.waiting},
        {KvUse, metrics.kvUse},
        {PrefixQueries, metrics.prefixQueries},
        {PrefixHits, metrics.prefixHits},
        {Preemptions, metrics.preemptions},
        {GeneratedTokens, metrics.generatedTokens},
        {PromptTokens, metrics.promptTokens},
        {SpecDrafted, metrics.specDrafted},
        {SpecAccepted, metrics.specAccepted},
        {QueueTime, metrics.queueTime},
    };
    for (const auto& [counter, alternatives] : all) {
        if (!alternatives.empty()) {
            auto& known = sources[counter];
            known.insert(known.end(), alternatives.begin(), alternatives.end());
        }
    }
}

/// "http://host:port" in lower case.
std::string originOf(std::string_view url)
{
    const std::size_t host = url.find("://");
    const std::size_t end = host == std::string_view::npos ? host : url.find('/', host + 3);
    std::string origin(url.substr(0, end));
    for (char& c : origin)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return origin;
}

} // namespace

CounterReader::CounterReader(const CounterSources& sources)
{
    for (const auto& [counter, alternatives] : sources) {
        for (const MetricSource& source : alternatives)
            add(counter, source, source.kind == MetricKind::Histogram ? "_sum" : "");
    }
    if (const auto queue = sources.find(ServerCounter::QueueTime); queue != sources.end()) {
        for (const MetricSource& source : queue->second)
            if (source.kind == MetricKind::Histogram)
                add(ServerCounter::QueuedRequests, source, "_count");
    }
}

void CounterReader::add(ServerCounter counter, const MetricSource& source, std::string_view ending)
{
    Source made{counter, {}, counter == ServerCounter::KvUse, source.atRequestEnd};
    for (const std::string& given : source.names) {
        std::string name = given + std::string(ending);
        if (source.kind == MetricKind::Counter && name.ends_with(kTotal))
            name.resize(name.size() - kTotal.size());
        const auto [place, isNew] = m_index.try_emplace(name, m_names.size());
        made.names.push_back(place->second);
        if (!isNew)
            continue;
        m_names.push_back(name);
        if (source.kind == MetricKind::Counter)
            m_index.try_emplace(name + std::string(kTotal), place->second);
    }
    m_sources.push_back(std::move(made));
}

CounterValues CounterReader::read(std::string_view text) const
{
    struct Sum
    {
        double value = 0;
        int series = 0;
    };
    std::vector<Sum> sums(m_names.size());
    PrometheusReader reader(text);
    while (const std::optional<PrometheusSample> sample = reader.next()) {
        const auto place = m_index.find(sample->name);
        if (place == m_index.end() || !std::isfinite(sample->value))
            continue;
        sums[place->second].value += sample->value;
        ++sums[place->second].series;
    }
    CounterValues values;
    for (const Source& source : m_sources) {
        if (!values.empty() && values.back().first == source.counter)
            continue; // an earlier source told it
        Sum all;
        for (const std::size_t name : source.names) {
            all.value += sums[name].value;
            all.series += sums[name].series;
        }
        if (all.series > 0)
            values.emplace_back(source.counter, source.mean ? all.value / all.series : all.value);
    }
    return values;
}

std::optional<CounterEndpoint> counterEndpoint(const Target& target, const std::string& engine,
                                               const std::vector<std::string>& headers)
{
    if (target.metricsUrl.empty() || target.metricsUrl == "none")
        return std::nullopt;
    const MetricsAccess& metrics = engineProfile(engine).metrics;
    CounterEndpoint endpoint;
    endpoint.connection = connectionOf(target);
    endpoint.connection.httpVersion = HttpVersion::Http11; // it may be another server than the one of the API
    endpoint.hint = metrics.hint;
    addSources(endpoint.sources, metrics);
    if (endpoint.sources.empty()) {
        for (const EngineProfile& profile : engineProfiles())
            addSources(endpoint.sources, profile.metrics);
    }
    endpoint.expected = target.metricsUrl != "auto" || !metrics.path.empty();
    endpoint.url = target.metricsUrl != "auto"
                       ? target.metricsUrl
                       : serverUrl(target, metrics.path.empty() ? "/metrics" : metrics.path);
    if (originOf(endpoint.url) == originOf(target.baseUrl))
        endpoint.headers = headers;
    return endpoint;
}

bool CounterReader::atRequestEnd(ServerCounter counter) const
{
    return std::any_of(m_sources.begin(), m_sources.end(),
                       [&](const Source& s) { return s.counter == counter && s.atRequestEnd; });
}

} // namespace tailmark
