// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "foreign/result_file.h"

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// How the result file of one tool is recognised and read.
struct ToolFormat
{
    std::string_view tool;
    bool (*recognises)(const nlohmann::json& root);
    /// The levels that one JSON value of a file holds; a load that is not told is left at 0.
    std::vector<ForeignLevel> (*levels)(const nlohmann::json& root);
};

std::span<const ToolFormat> toolFormats();

} // namespace tailmark
