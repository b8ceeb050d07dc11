// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

// What the bandwidth bound can look up by name: resources/bound, built into the program. Every entry names the
// source of its figures.

/// One device. Dense peak arithmetic (no sparsity) in TFLOP/s by the width of its operands; 0 = it has none.
struct Accelerator
{
    std::string id, name;
    double memoryGb = 0;
    double bandwidthGbPerS = 0; ///< of its memory, 10^9 bytes a second
    double tflops16Bit = 0, tflops8Bit = 0, tflops4Bit = 0;
    std::string source;

    /// The peak for weights of that many bytes a parameter. A device without arithmetic of that width widens
    /// them first, so that the next wider one holds.
    double peakTflops(double bytesPerParam) const;
};

struct ServedModel
{
    std::string id, name;
    double totalParams = 0;
    /// Read for one token: the output head is, the embedding table is not; of routed experts those of one token.
    double activeParams = 0;
    double expertParams = 0; ///< of all routed experts of all layers; 0 = dense
    double experts = 0, expertsPerToken = 0; ///< of a layer
    std::string quantization; ///< as published; empty = 16 bit
    double bytesPerParam = 2, expertBytesPerParam = 2; ///< as published
    // Keys and values kept of a token
    int layers = 0;
    int windowLayers = 0; ///< those of them that look back no further than windowTokens
    int windowTokens = 0;
    int kvHeads = 0, headDim = 0;
    int latentDim = 0; ///< multi-head latent attention: values a token and layer, in place of the heads
    std::string source;

    /// Of layers that look back over the whole context, and of those with a window, at `bytesPerValue`.
    double kvBytesPerToken(double bytesPerValue = 2) const;
    double windowKvBytesPerToken(double bytesPerValue = 2) const;
};

const std::vector<Accelerator>& accelerators();
const std::vector<ServedModel>& servedModels();
/// None for an id that is not in the table.
const Accelerator* findAccelerator(std::string_view id);
const ServedModel* findServedModel(std::string_view id);
std::span<const std::string_view> acceleratorIds();
std::span<const std::string_view> servedModelIds();

} // namespace tailmark
