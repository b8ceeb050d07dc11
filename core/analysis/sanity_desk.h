// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/sanity.h"

namespace tailmark {

/// A claim on the sanity desk: what is known of it so far, and what was found. Used by the parts of checkClaim() alone.
struct SanityDesk
{
    const Claim& claim;
    BoundFigures figures;
    std::optional<double> total;   ///< output tok/s of the whole system
    std::optional<double> batch;   ///< in flight
    std::optional<double> perUser; ///< tok/s
    double context = 0;
    bool contextKnown = false;
    std::vector<SanityFinding> findings;

    void add(SanityFinding::Kind kind, const char* topic, std::string text, std::vector<SanityFigure> values = {})
    {
        findings.push_back({kind, topic, std::move(text), std::move(values)});
    }
};

/// What the bounds stand on, in brackets with a blank before them; empty where nothing was taken.
std::string assumptionText(const SanityDesk& desk);
/// The lower of the bounds for sequences that are decoded together; absent where hardware and model are not known.
std::optional<double> lowerBound(const SanityDesk& desk, double batch);

/// Little's law on the claim: requests/s, and the time that one takes from end to end.
void checkLittle(SanityDesk& desk);
/// The claimed latencies against each other, and against the quickest step and the reading of a prompt.
void checkLatencies(SanityDesk& desk);
/// The first token, between the quickest step of this batch and the time that Little's law leaves.
void checkFirstToken(SanityDesk& desk);

} // namespace tailmark
