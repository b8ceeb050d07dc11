// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "target/connection.h"
#include "record/server_sample.h"
#include "target/engine_profiles.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tailmark {

/// Of each counter of ours the sources in order, of which the first with a sample counts.
using CounterSources = std::map<ServerCounter, std::vector<MetricSource>>;

using CounterValues = std::vector<std::pair<ServerCounter, double>>;

/// Finds our counters in what an engine tells at /metrics.
class CounterReader
{
public:
    explicit CounterReader(const CounterSources& sources);

    /// What the text tells, by ascending counter. A value that is not finite is none. Of several label sets
    /// (engines, models, ranks) the sum; of the KV cache use the mean.
    CounterValues read(std::string_view text) const;

    /// Counters that were read from a source that grows only when a request ends.
    bool atRequestEnd(ServerCounter counter) const;

private:
    /// Names whose sums make one counter; of the alternatives of a counter in order.
    struct Source
    {
        ServerCounter counter;
        std::vector<std::size_t> names; ///< into m_names
        bool mean = false;
        bool atRequestEnd = false;
    };
    void add(ServerCounter counter, const MetricSource& source, std::string_view ending);

    std::vector<std::string> m_names;                        ///< as they were met first
    std::map<std::string, std::size_t, std::less<>> m_index; ///< of the names, with and without "_total"
    std::vector<Source> m_sources;                           ///< by counter, then in order
};

/// Where the counters of a target are asked for.
struct CounterEndpoint
{
    std::string url;
    std::vector<std::string> headers; ///< those of the target, where it is the same server: never stored
    ConnectionOptions connection;
    CounterSources sources;
    std::string hint;     ///< what the engine needs to tell them, in words; may be empty
    bool expected = true; ///< asked for, or the engine is known to have them: worth a word where they are not
};

/// By target.metrics_url: "auto" is where the profile of `engine` says, and of an engine without one /metrics
/// with the names of all engines; "none" is nowhere. `headers` (those of the target's requests) are sent to
/// the target's own host and port only, so that no key goes elsewhere.
std::optional<CounterEndpoint> counterEndpoint(const Target& target, const std::string& engine,
                                               const std::vector<std::string>& headers);

} // namespace tailmark
