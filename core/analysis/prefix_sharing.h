// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailmark {

struct PointData;
struct ServerSummary;

/// Who told what came from the prefix cache.
enum class HitSource {
    None,     ///< nobody
    Usage,    ///< the cached tokens in the answers
    Counters, ///< the server's counters
};
std::string_view hitSourceId(HitSource source); ///< "", "usage", "counters"

/// The prefix sharing that a point's requests were planned to have, beside what the engine made of it. Of the
/// successful requests in the window.
struct PrefixSharing
{
    /// A prefix cache of endless size that is empty when the point begins (warm: that has the shared
    /// prefixes) serves so many of so many prompt tokens. Both 0 where no sharing is planned.
    std::uint64_t plannedTokens = 0, plannedOf = 0;
    HitSource source = HitSource::None;
    /// What the engine took from its cache: tokens, by its counters perhaps blocks.
    double measuredTokens = 0, measuredOf = 0;

    std::optional<double> planned() const;  ///< hit rate, 0..1
    std::optional<double> measured() const; ///< likewise
    bool operator==(const PrefixSharing&) const = default;
};

/// By the cached tokens of the requests, else by the server's counters over the window.
PrefixSharing prefixSharing(const PointData& data, const std::optional<ServerSummary>& server);

/// The points of a run together; measured where it was measured in every point in the same way.
PrefixSharing pooled(std::span<const PrefixSharing> points);

/// "planned 27.1 % of the prompt tokens, measured 26.8 % (cached tokens in the answers)"; empty where no
/// sharing is planned.
std::string prefixSharingText(const PrefixSharing& sharing);

} // namespace tailmark
