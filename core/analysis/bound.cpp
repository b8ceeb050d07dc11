// SPDX-License-Identifier: GPL-3.0-or-later
// The bound itself: where its figures come from, and its formulas.
#include "analysis/bound.h"

#include "analysis/text.h"
#include "plan/bound_tables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kFlopsPerParam = 2; ///< one multiplication and one addition a token
constexpr double kUnstatedBytes = 2; ///< BF16

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// A typed figure, else that of the table.
double either(double typed, double fromTable)
{
    return typed > 0 ? typed : fromTable;
}

void takePrecision(BoundFigures& figures, const BoundInput& input, const ServedModel* model,
                   const std::string& quantization)
{
    const bool asPublished = model && (quantization.empty() ? !model->quantization.empty()
                                                            : lowerCase(quantization) == model->quantization);
    if (input.bytesPerParam > 0) {
        figures.bytesPerParam = figures.expertBytesPerParam = input.bytesPerParam;
    } else if (asPublished) {
        figures.bytesPerParam = model->bytesPerParam;
        figures.expertBytesPerParam = model->expertBytesPerParam;
        figures.assumptions.push_back("weights as " + model->name + " is published, " + model->quantization);
    } else if (const std::optional<double> bytes = bytesPerParamOf(quantization)) {
        figures.bytesPerParam = figures.expertBytesPerParam = *bytes;
        figures.assumptions.push_back(figureText(*bytes) + " bytes per parameter by the card's quantization " +
                                      quantization);
    } else {
        figures.bytesPerParam = figures.expertBytesPerParam = kUnstatedBytes;
        figures.assumptions.push_back(
            quantization.empty()
                ? "2 bytes per parameter (BF16), as nothing states a quantization"
                : "2 bytes per parameter (BF16), as the card's quantization " + quantization +
                      " does not tell them; state bytes_per_param");
    }
}

void takeModel(BoundFigures& figures, const BoundInput& input, const ServedModel* model, const RunCard& card)
{
    figures.activeParams = input.activeParams;
    figures.kvBytesPerToken = input.kvBytesPerToken;
    figures.expertParams = either(input.expertParams, model ? model->expertParams : 0);
    figures.experts = either(input.experts, model ? model->experts : 0);
    figures.expertsPerToken = either(input.expertsPerToken, model ? model->expertsPerToken : 0);
    if (figures.experts > 0)
        figures.assumptions.push_back("tokens are spread evenly over the experts; skewed routing touches fewer");
    if (!model)
        return;
    figures.model = model->name;
    figures.activeParams = either(input.activeParams, model->activeParams);
    if (input.kvBytesPerToken > 0)
        return;
    const bool eightBit = card.entry("flags.kv_cache_dtype").value.find("fp8") != std::string::npos;
    const double bytes = eightBit ? 1 : 2;
    figures.kvBytesPerToken = model->kvBytesPerToken(bytes);
    figures.windowKvBytesPerToken = model->windowKvBytesPerToken(bytes);
    figures.windowTokens = model->windowTokens;
    figures.assumptions.push_back(eightBit ? "keys and values in 8 bit by the card's kv_cache_dtype"
                                           : "keys and values in 16 bit");
}

/// The share of the weights that every token reads, whatever experts it takes.
double sharedParams(const BoundFigures& f)
{
    const double ofExperts = f.experts > 0 ? f.expertParams * f.expertsPerToken / f.experts : 0;
    return std::max(0.0, f.activeParams - ofExperts);
}

/// "meta-llama-llama-3.1-8b-instruct": lower case, words parted by hyphens.
std::string plainName(const std::string& name)
{
    std::string plain;
    for (const char c : name)
        plain += std::isalnum(static_cast<unsigned char>(c)) || c == '.'
                     ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                     : '-';
    return plain;
}

/// The part of an accelerator's id that names its kind: "h100" of "h100-sxm", "4090" of "rtx-4090".
std::string_view kindOf(std::string_view id)
{
    while (true) {
        const std::string_view word = id.substr(0, id.find('-'));
        if (word.size() == id.size() || word.find_first_of("0123456789") != std::string_view::npos)
            return word;
        id.remove_prefix(word.size() + 1);
    }
}

bool hasWord(const std::string& plain, std::string_view word)
{
    return ("-" + plain + "-").find("-" + std::string(word) + "-") != std::string::npos;
}

/// What the card names of a table where it is another entry than the one that was chosen. A name that is in no table
/// contradicts nothing.
template <typename Entry, typename Names>
std::string contradiction(const Entry* chosen, const std::vector<Entry>& entries, const CardEntry& told, Names&& names)
{
    if (!chosen || told.origin == CardOrigin::Unknown)
        return {};
    const std::string plain = plainName(told.value);
    const bool other = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return names(plain, entry); });
    return other && !names(plain, *chosen) ? "the bound is that of " + chosen->name + ", the card says " + told.value
                                           : std::string();
}

} // namespace

std::optional<double> bytesPerParamOf(const std::string& quantization)
{
    struct Format
    {
        const char* name;
        double bytes;
    };
    // Formats with blocks: the scales are in it.
    static constexpr Format kFormats[] = {
        {"fp32", 4},      {"float32", 4},   {"bf16", 2}, {"bfloat16", 2}, {"fp16", 2},      {"float16", 2},
        {"fp8", 1},       {"fp8_e4m3", 1},  {"int8", 1}, {"w8a8", 1},     {"nvfp4", 0.5625}, {"mxfp4", 0.53125},
        {"q8_0", 1.0625},
    };
    const std::string name = lowerCase(quantization);
    for (const Format& format : kFormats) {
        if (name == format.name)
            return format.bytes;
    }
    return std::nullopt;
}

BoundFigures boundFigures(const BoundInput& input, const RunCard& card)
{
    BoundFigures figures;
    const ServedModel* model = findServedModel(input.model);
    const Accelerator* device = findAccelerator(input.accelerator);
    takeModel(figures, input, model, card);
    takePrecision(figures, input, model, card.entry("quantization").value);
    figures.devices = input.devices;
    figures.bandwidthGbPerS = either(input.bandwidthGbPerS, device ? device->bandwidthGbPerS : 0);
    // The arithmetic of a mixture is that of its experts.
    figures.peakTflops =
        either(input.peakTflops, device ? device->peakTflops(figures.expertBytesPerParam) : 0);
    if (device) {
        figures.accelerator = device->name;
        figures.memoryGb = device->memoryGb;
    }
    if (model)
        figures.totalWeightBytes = (model->totalParams - model->expertParams) * figures.bytesPerParam +
                                   model->expertParams * figures.expertBytesPerParam;
    int stated = 0;
    const std::string count = card.entry("accelerator_count").value;
    std::from_chars(count.data(), count.data() + count.size(), stated);
    if (stated > 0 && stated != figures.devices)
        figures.assumptions.push_back("the bound takes " + figureText(figures.devices) +
                                      (figures.devices == 1 ? " device" : " devices") + ", the card states " +
                                      figureText(stated));
    const std::string ofTheModel =
        contradiction(model, servedModels(), card.entry("model"), [](const std::string& told, const ServedModel& entry) {
            return told.find(entry.id) != std::string::npos;
        });
    const std::string ofTheDevice = contradiction(
        device, accelerators(), card.entry("accelerator"),
        [](const std::string& told, const Accelerator& entry) { return hasWord(told, kindOf(entry.id)); });
    figures.contradiction = ofTheModel + (ofTheModel.empty() || ofTheDevice.empty() ? "" : "; ") + ofTheDevice;
    return figures;
}

double touchedShare(double experts, double expertsPerToken, double batch)
{
    if (experts <= 0 || expertsPerToken <= 0)
        return 0;
    return 1 - std::pow(1 - std::min(1.0, expertsPerToken / experts), std::max(1.0, batch));
}

double weightBytes(const BoundFigures& f, double batch)
{
    return sharedParams(f) * f.bytesPerParam +
           f.expertParams * touchedShare(f.experts, f.expertsPerToken, batch) * f.expertBytesPerParam;
}

double kvBytes(const BoundFigures& f, double contextTokens)
{
    return contextTokens * f.kvBytesPerToken + std::min(contextTokens, f.windowTokens) * f.windowKvBytesPerToken;
}

std::optional<double> bandwidthBound(const BoundFigures& f, double batch, double contextTokens)
{
    if (!f.known() || f.devices <= 0 || f.bytesPerParam <= 0 || batch <= 0)
        return std::nullopt;
    return batch * f.bandwidthGbPerS * kGiga * f.devices /
           (weightBytes(f, batch) + batch * kvBytes(f, contextTokens));
}

std::optional<double> computeBound(const BoundFigures& f)
{
    if (f.peakTflops <= 0 || f.devices <= 0 || f.activeParams <= 0)
        return std::nullopt;
    return f.peakTflops * kTera * f.devices / (kFlopsPerParam * f.activeParams);
}

std::optional<double> balancedBatch(const BoundFigures& f)
{
    if (f.peakTflops <= 0 || f.bandwidthGbPerS <= 0 || f.bytesPerParam <= 0)
        return std::nullopt;
    return f.peakTflops * kTera * f.bytesPerParam / (kFlopsPerParam * f.bandwidthGbPerS * kGiga);
}

std::vector<BoundCurve::At> boundOverBatch(const BoundFigures& figures, double contextTokens, double largestBatch)
{
    std::vector<BoundCurve::At> points;
    const std::optional<double> compute = computeBound(figures);
    for (double batch = 1;; batch *= 2) {
        const std::optional<double> bandwidth = bandwidthBound(figures, batch, contextTokens);
        if (!bandwidth)
            break;
        points.push_back({batch, *bandwidth, compute, std::min(*bandwidth, compute.value_or(*bandwidth))});
        if (batch >= largestBatch)
            break;
    }
    return points;
}

const char* boundStandingId(BoundStanding standing)
{
    constexpr const char* kIds[] = {"headroom", "between", "near", "impossible"};
    return kIds[static_cast<int>(standing)];
}

BoundStanding boundStandingOf(double fraction)
{
    constexpr double kMuchHeadroom = 0.4;
    constexpr double kNearTheLimit = 0.6;
    constexpr double kRounding = 1.005; // figures of data sheets have three digits
    if (fraction > kRounding)
        return BoundStanding::Impossible;
    if (fraction >= kNearTheLimit)
        return BoundStanding::Near;
    return fraction < kMuchHeadroom ? BoundStanding::Headroom : BoundStanding::Between;
}

const char* boundStandingText(BoundStanding standing)
{
    constexpr const char* kTexts[] = {
        "much headroom: look for launch gaps, collectives and scattered reads",
        "some headroom: launch gaps, collectives or scattered reads may take it",
        "close to the physical limit: further tuning will return little",
        "impossible where every token needs a pass of its own over the weights",
    };
    return kTexts[static_cast<int>(standing)];
}

} // namespace tailmark
