// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "analysis/summary.h"
#include "plan/matrix.h"
#include "record/run_card.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// What the bound is computed from, with every name of the tables looked up; a figure of 0 is not known.
struct BoundFigures
{
    double bandwidthGbPerS = 0; ///< of one device, 10^9 bytes a second
    double peakTflops = 0;      ///< of one device, for the width of the weights
    double devices = 1;
    double activeParams = 0; ///< read for one token
    double bytesPerParam = 0;
    double expertParams = 0; ///< of all routed experts; 0 = dense
    double experts = 0, expertsPerToken = 0;
    double expertBytesPerParam = 0;
    double kvBytesPerToken = 0;                        ///< of layers that look back over the whole context
    double windowKvBytesPerToken = 0, windowTokens = 0; ///< of layers with a sliding window
    double memoryGb = 0;         ///< of one device
    double totalWeightBytes = 0; ///< all weights, that they may fit at all
    std::string accelerator, model;       ///< names of the entries that were looked up; empty = none
    std::string contradiction; ///< where the card names another model or accelerator; empty = it does not
    std::vector<std::string> assumptions; ///< what nobody stated and was taken all the same, and remarks

    bool known() const { return bandwidthGbPerS > 0 && activeParams > 0; }
    bool operator==(const BoundFigures&) const = default;
};
/// Typed figures win over those of the named entries. Bytes per parameter: as typed, else as the card's quantization
/// says where that has one meaning, else as the model is published, else 2; what was taken is told in `assumptions`.
BoundFigures boundFigures(const BoundInput& input, const RunCard& card = {});
/// Bytes per parameter of a quantization that has one meaning ("fp8", "nvfp4", "bf16"); none of any other.
std::optional<double> bytesPerParamOf(const std::string& quantization);

/// Share of the experts of a layer that a step of `batch` tokens touches with uniform routing: 1 − (1 − k/E)^B.
double touchedShare(double experts, double expertsPerToken, double batch);
/// Weights that a decode step of `batch` sequences reads.
double weightBytes(const BoundFigures& figures, double batch);
/// Keys and values of one sequence that a decode step reads.
double kvBytes(const BoundFigures& figures, double contextTokens);
/// Contract §6: B × bandwidth / (weight_bytes(B) + B × kv_bytes(L)) in output tok/s for a batch of `batch` sequences of
/// mean context `contextTokens`. Absent where bandwidth or parameters are not known.
std::optional<double> bandwidthBound(const BoundFigures& figures, double batch, double contextTokens);
/// The compute bound: peak FLOP/s × devices / (2 × active parameters). Absent where it is not known.
std::optional<double> computeBound(const BoundFigures& figures);
/// The batch from which on arithmetic binds and not the memory, without context, of a dense model:
/// peak × bytes per parameter / (2 × bandwidth).
std::optional<double> balancedBatch(const BoundFigures& figures);

/// What a share of the bound says. The edges lie between the two that practice gives: 15 % is much headroom, 65 % is
/// near the limit.
enum class BoundStanding { Headroom, Between, Near, Impossible };
const char* boundStandingId(BoundStanding standing); ///< "headroom", "between", "near", "impossible"
BoundStanding boundStandingOf(double fraction);
/// In words, without a full stop.
const char* boundStandingText(BoundStanding standing);

/// What a measured point reached of its bounds.
struct BoundCheck
{
    double batch = 0;              ///< sequences decoded together
    std::string batchSource;       ///< where it was measured, in words
    double contextTokens = 0;      ///< mean prompt plus half of the mean output: what a decode step looks back at
    double bandwidthTokensPerS = 0;    ///< of this batch
    double singleStreamTokensPerS = 0; ///< batch 1 without context: the classic bound of one stream
    std::optional<double> computeTokensPerS;
    std::optional<double> measuredTokensPerS;
    std::optional<double> fraction; ///< measured / bandwidth bound
    std::optional<double> computeFraction;
    std::string text;     ///< formula with its inputs, and the fraction
    std::string sentence; ///< what the fraction says; empty where nothing was measured

    double tokensPerS() const; ///< the lower of the two bounds
    std::optional<double> bindingFraction() const; ///< measured / the lower bound
    bool operator==(const BoundCheck&) const = default;
};
/// The batch is what the engine's counter says is running, else the mean number of requests in flight (Little). Absent
/// where the figures are not known, nothing was in flight, or nothing was answered.
std::optional<BoundCheck> checkBound(const BoundFigures& figures, const PointSummary& point);

/// The bound where it matters: where the SLO is crossed, between two levels; without a crossing at the last that meets it.
struct OperatingBound
{
    std::string test;
    Load load;
    BoundCheck check;
};
std::vector<OperatingBound> operatingBounds(const BoundFigures& figures, std::span<const OperatingPoint> operatingPoints,
                                            std::span<const PointSummary> points);

/// The lower bound of one level at the batch that was measured there, to be drawn over the curve; a level without one
/// is left out.
struct LevelBound
{
    Load load;
    double batch = 0;
    double tokensPerS = 0;
};
std::vector<LevelBound> boundAlong(const BoundFigures& figures, const Curve& curve,
                                   std::span<const PointSummary> points);

/// The bound over the batch, at the mean context of a test.
struct BoundCurve
{
    struct At
    {
        double batch = 0;
        double bandwidthTokensPerS = 0;
        std::optional<double> computeTokensPerS;
        double tokensPerS = 0; ///< the lower of the two
    };
    std::string test;
    double contextTokens = 0;
    std::vector<At> points; ///< batch 1, 2, 4, … to twice the largest that was measured
};
/// Powers of two up to at least `largestBatch`; empty where the figures are not known.
std::vector<BoundCurve::At> boundOverBatch(const BoundFigures& figures, double contextTokens, double largestBatch);
/// One for each test.
std::vector<BoundCurve> boundCurves(const BoundFigures& figures, std::span<const PointSummary> points);

} // namespace tailmark
