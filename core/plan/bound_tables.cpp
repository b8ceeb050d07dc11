// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/bound_tables.h"

#include "base/embedded_file.h"
#include "plan/json_visitors.h"
#include "plan/strict_json.h"

#include <algorithm>

namespace tailmark {

std::span<const EmbeddedFile> boundTableFiles(); // resources/bound

namespace {

using keys::atLeast;
using keys::kAny;
using keys::Reader;

constexpr keys::Rule kFigure = atLeast(0, 1e15);
constexpr keys::Rule kNeededFigure = keys::above(0, 1e15).mandatory();

void describeAccelerator(Reader& r, Accelerator& a)
{
    r.value("id", a.id, kAny.mandatory());
    r.value("name", a.name, kAny.mandatory());
    r.value("memory_gb", a.memoryGb, kNeededFigure);
    r.value("bandwidth_gb_per_s", a.bandwidthGbPerS, kNeededFigure);
    r.value("tflops_16_bit", a.tflops16Bit, kNeededFigure);
    r.value("tflops_8_bit", a.tflops8Bit, kFigure);
    r.value("tflops_4_bit", a.tflops4Bit, kFigure);
    r.value("source", a.source, kAny.mandatory());
}

void describeModel(Reader& r, ServedModel& m)
{
    r.value("id", m.id, kAny.mandatory());
    r.value("name", m.name, kAny.mandatory());
    r.value("total_params", m.totalParams, kNeededFigure);
    r.value("active_params", m.activeParams, kNeededFigure);
    r.value("experts", m.experts, kFigure);
    r.value("experts_per_token", m.expertsPerToken, kFigure);
    r.value("expert_params", m.expertParams, kFigure);
    r.value("quantization", m.quantization, kAny);
    r.value("bytes_per_param", m.bytesPerParam, kFigure);
    r.value("expert_bytes_per_param", m.expertBytesPerParam, kFigure);
    r.value("layers", m.layers, kFigure.mandatory());
    r.value("window_layers", m.windowLayers, kFigure);
    r.value("window_tokens", m.windowTokens, kFigure);
    r.value("kv_heads", m.kvHeads, kFigure);
    r.value("head_dim", m.headDim, kFigure);
    r.value("latent_dim", m.latentDim, kFigure);
    r.value("source", m.source, kAny.mandatory());
}

struct Tables
{
    std::vector<Accelerator> accelerators;
    std::vector<ServedModel> models;
};

/// A file that cannot be read leaves its table empty; the tests count the entries.
Tables readTables()
{
    Tables tables;
    for (const EmbeddedFile& file : boundTableFiles()) {
        const Result<nlohmann::json> json = parseStrictly(std::string(file.text), std::string(file.name));
        if (!json)
            continue;
        Tables read;
        std::string note;
        Reader reader(json.value(), std::string(file.name));
        reader.value("note", note, kAny);
        if (file.name == "accelerators")
            reader.list("accelerators", read.accelerators, describeAccelerator);
        else
            reader.list("models", read.models, describeModel);
        if (reader.finish())
            continue;
        if (file.name == "accelerators")
            tables.accelerators = std::move(read.accelerators);
        else
            tables.models = std::move(read.models);
    }
    return tables;
}

const Tables& tables()
{
    static const Tables read = readTables();
    return read;
}

template <typename Entry> const Entry* findById(const std::vector<Entry>& entries, std::string_view id)
{
    const auto it = std::ranges::find(entries, id, &Entry::id);
    return it == entries.end() ? nullptr : &*it;
}

template <typename Entry> std::vector<std::string_view> idsOf(const std::vector<Entry>& entries)
{
    std::vector<std::string_view> ids;
    for (const Entry& entry : entries)
        ids.emplace_back(entry.id);
    return ids;
}

} // namespace

double Accelerator::peakTflops(double bytesPerParam) const
{
    constexpr double kFourBits = 0.6; // with the scales of its blocks
    constexpr double kEightBits = 1.1;
    if (bytesPerParam <= kFourBits)
        return tflops4Bit > 0 ? tflops4Bit : tflops16Bit; // without arithmetic of 4 bits they are widened to 16
    return bytesPerParam <= kEightBits && tflops8Bit > 0 ? tflops8Bit : tflops16Bit;
}

double ServedModel::kvBytesPerToken(double bytesPerValue) const
{
    const int values = latentDim > 0 ? latentDim : 2 * kvHeads * headDim;
    return (layers - windowLayers) * values * bytesPerValue;
}

double ServedModel::windowKvBytesPerToken(double bytesPerValue) const
{
    return windowLayers * 2 * kvHeads * headDim * bytesPerValue;
}

const std::vector<Accelerator>& accelerators()
{
    return tables().accelerators;
}

const std::vector<ServedModel>& servedModels()
{
    return tables().models;
}

const Accelerator* findAccelerator(std::string_view id)
{
    return findById(accelerators(), id);
}

const ServedModel* findServedModel(std::string_view id)
{
    return findById(servedModels(), id);
}

std::span<const std::string_view> acceleratorIds()
{
    static const std::vector<std::string_view> ids = idsOf(accelerators());
    return ids;
}

std::span<const std::string_view> servedModelIds()
{
    static const std::vector<std::string_view> ids = idsOf(servedModels());
    return ids;
}

} // namespace tailmark
