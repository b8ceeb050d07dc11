// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/bound_results.h"

#include "analysis/bound.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "report/bound_svg.h"
#include "report/table_parts.h"

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

Json knownOrNull(double value)
{
    return value > 0 ? Json(value) : Json();
}

Json loadJson(const Load& load)
{
    return {{"axis", loadAxisId(load.axis)}, {"value", load.value}};
}

Json inputsJson(const BoundFigures& f)
{
    return {{"accelerator", f.accelerator.empty() ? Json() : Json(f.accelerator)},
            {"model", f.model.empty() ? Json() : Json(f.model)},
            {"devices", f.devices},
            {"bandwidth_gb_per_s", f.bandwidthGbPerS},
            {"peak_tflops", knownOrNull(f.peakTflops)},
            {"active_params", f.activeParams},
            {"bytes_per_param", f.bytesPerParam},
            {"experts", knownOrNull(f.experts)},
            {"experts_per_token", knownOrNull(f.expertsPerToken)},
            {"expert_params", knownOrNull(f.expertParams)},
            {"expert_bytes_per_param", f.experts > 0 ? Json(f.expertBytesPerParam) : Json()},
            {"kv_bytes_per_token", knownOrNull(f.kvBytesPerToken)},
            {"window_kv_bytes_per_token", knownOrNull(f.windowKvBytesPerToken)},
            {"window_tokens", knownOrNull(f.windowTokens)}};
}

Json checkJson(const BoundCheck& check)
{
    const std::optional<double> fraction = check.bindingFraction();
    return {{"batch", check.batch},
            {"batch_source", check.batchSource},
            {"context_tokens", check.contextTokens},
            {"bandwidth_tokens_per_s", check.bandwidthTokensPerS},
            {"single_stream_tokens_per_s", check.singleStreamTokensPerS},
            {"compute_tokens_per_s", orNull(check.computeTokensPerS)},
            {"measured_tokens_per_s", orNull(check.measuredTokensPerS)},
            {"fraction", orNull(check.fraction)},
            {"compute_fraction", orNull(check.computeFraction)},
            {"standing", fraction ? Json(boundStandingId(boundStandingOf(*fraction))) : Json()},
            {"text", check.text},
            {"sentence", check.sentence.empty() ? Json() : Json(check.sentence)}};
}

Json curvesJson(const std::vector<BoundCurve>& curves)
{
    Json json = Json::array();
    for (const BoundCurve& curve : curves) {
        Json points = Json::array();
        for (const BoundCurve::At& at : curve.points)
            points.push_back({{"batch", at.batch},
                              {"bandwidth_tokens_per_s", at.bandwidthTokensPerS},
                              {"compute_tokens_per_s", orNull(at.computeTokensPerS)},
                              {"tokens_per_s", at.tokensPerS}});
        json.push_back({{"test", curve.test}, {"context_tokens", curve.contextTokens}, {"points", std::move(points)}});
    }
    return json;
}

/// "Llama 3.1 8B on 2 x NVIDIA H100 80 GB SXM, 2 bytes a parameter"
std::string boundOf(const BoundFigures& f)
{
    const std::string model = f.model.empty() ? figureText(f.activeParams / 1e9) + " billion parameters read for a token" : f.model;
    const std::string device =
        f.accelerator.empty() ? figureText(f.bandwidthGbPerS) + " GB/s of memory bandwidth" : f.accelerator;
    return model + " on " + (f.devices == 1 ? std::string() : figureText(f.devices) + " x ") + device + ", " +
           figureText(f.bytesPerParam) + (f.bytesPerParam == 1 ? " byte a parameter" : " bytes a parameter");
}

} // namespace

Json boundJson(const RunResults& results)
{
    const BoundFigures figures = boundFiguresOf(results);
    Json levels = Json::array();
    for (const PointSummary& p : results.points) {
        const auto check = checkBound(figures, p);
        if (!check)
            continue;
        Json json = {{"test", p.point.test}, {"load", loadJson(p.point.load)}, {"repeat", p.point.repeat}};
        json.update(checkJson(*check));
        levels.push_back(std::move(json));
    }
    if (levels.empty())
        return {};
    Json atOperatingPoints = Json::array();
    for (const OperatingBound& bound : operatingBounds(figures, results.operatingPoints, results.points)) {
        Json json = {{"test", bound.test}, {"load", loadJson(bound.load)}};
        json.update(checkJson(bound.check));
        atOperatingPoints.push_back(std::move(json));
    }
    return {{"inputs", inputsJson(figures)},
            {"assumptions", figures.assumptions},
            {"contradiction", figures.contradiction.empty() ? Json() : Json(figures.contradiction)},
            {"levels", std::move(levels)},
            {"curves", curvesJson(boundCurves(figures, results.points))},
            {"operating_points", std::move(atOperatingPoints)}};
}

ReportSection boundSection(const RunResults& results)
{
    ReportSection section{"Bandwidth bound", {}};
    const BoundFigures figures = boundFiguresOf(results);
    ReportTable table{{{"Test", {}, false},
                       {"Load", {}, false},
                       {"Batch", "Sequences decoded together", true},
                       {"Context (tokens)", "Mean prompt plus half of the mean output", true},
                       {"Bound (tok/s)", "B x bandwidth / (weights read for B + B x keys and values)", true},
                       {"Compute bound (tok/s)", "Peak FLOP/s / (2 x active parameters)", true},
                       {"Measured (tok/s)", {}, true},
                       {"Latency there", {}, true},
                       {"Fraction", "Measured / bandwidth bound", true}},
                      {}};
    std::optional<BoundCheck> last;
    for (const PointSummary& p : results.points) {
        const auto check = checkBound(figures, p);
        if (!check)
            continue;
        last = check;
        table.rows.push_back({p.point.test,
                              loadText(p.point.load) +
                                  (p.point.repeat > 0 ? " #" + std::to_string(p.point.repeat + 1) : ""),
                              figureText(check->batch), figureText(check->contextTokens),
                              figureText(check->bandwidthTokensPerS), cell(check->computeTokensPerS),
                              cell(check->measuredTokensPerS), latencyBeside(p),
                              check->fraction ? percentText(*check->fraction) : std::string()});
    }
    if (!last)
        return section;
    section.blocks.push_back(Paragraph{"The bound of " + boundOf(figures) + ".", Paragraph::Kind::Plain});
    if (!figures.contradiction.empty())
        section.blocks.push_back(Paragraph{"Of another machine than was measured: " + figures.contradiction + ".",
                                           Paragraph::Kind::Warning});
    for (const OperatingBound& bound : operatingBounds(figures, results.operatingPoints, results.points))
        section.blocks.push_back(Paragraph{bound.test + ", " + loadText(bound.load) + ": " + bound.check.sentence + ".",
                                           Paragraph::Kind::Claim});
    for (const BoundCurve& curve : boundCurves(figures, results.points))
        section.blocks.push_back(boundFigure(curve, figures, results.points));
    section.blocks.push_back(std::move(table));
    section.blocks.push_back(
        Paragraph{"Of the last row: " + last->text + ". The batch is the " + last->batchSource + ".", {}});
    std::string taken;
    for (const std::string& assumption : figures.assumptions)
        taken += (taken.empty() ? "Taken: " : "; ") + assumption;
    if (!taken.empty())
        section.blocks.push_back(Paragraph{taken + ".", Paragraph::Kind::Plain});
    return section;
}

} // namespace tailmark
