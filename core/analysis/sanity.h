// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bound.h"
#include "analysis/claim.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

// The arithmetic with which a headline figure is disbelieved. Pure; every text has its numbers in it.

/// A number with its name, for JSON and for a form: {"tpot_ms", 11.4}.
struct SanityFigure
{
    std::string id;
    double value = 0;
    bool operator==(const SanityFigure&) const = default;
};

struct SanityFinding
{
    /// Derived: follows from the claim. Missing: the claim leaves it out. Condition: what would have to be true.
    /// Impossible: cannot be.
    enum class Kind { Derived, Missing, Condition, Impossible };
    Kind kind = Kind::Derived;
    std::string topic; ///< "per_user", "bound", "memory", "prefill", "little", "first_token", "latency", "cache", …
    std::string text;
    std::vector<SanityFigure> figures;
    bool operator==(const SanityFinding&) const = default;
};
const char* sanityKindId(SanityFinding::Kind kind); ///< "derived", "missing", "condition", "impossible"

/// The hardware and model to hold a claim against: what was typed, and for the rest the names in the claim's text.
BoundFigures claimFigures(const Claim& claim, BoundInput typed);

/// What a claim implies on this hardware and model, of which any may be unknown. `claim.devices`, where told, stands in
/// for `figures.devices`.
std::vector<SanityFinding> checkClaim(const Claim& claim, const BoundFigures& figures);

/// Closed loop: `users` workers that think for `thinkS` after an answer of `responseS` give N / (R + Z) requests/s.
/// Absent unless users > 0 and R + Z > 0.
std::optional<SanityFinding> closedLoopRate(double users, double responseS, double thinkS = 0);

/// Open loop past the capacity: the backlog after `seconds` is (offered − completed) × time, and who comes then waits
/// backlog / completed. Absent unless all are above 0.
std::optional<SanityFinding> backlogGrowth(double offeredPerS, double completedPerS, double seconds);

/// One stretch of work: `tokens` useful output tokens in `seconds`.
struct Round
{
    double tokens = 0;
    double seconds = 0;
};
/// All tokens over the whole time, against the mean of the rates, which misleads. Absent without a round or time.
std::optional<SanityFinding> wallClockRate(std::span<const Round> rounds);
/// The same work before and after: less time and more throughput are two percentages. Absent as above.
std::optional<SanityFinding> throughputGained(std::span<const Round> before, std::span<const Round> after);

} // namespace tailmark
