// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// What a text says of hardware and model, by the names of the tables (plan/bound_tables.h).
struct ClaimNames
{
    std::string text;               ///< with "GPU" for the name of a device, and without the others
    std::string accelerator, model; ///< ids; empty where none is named
    std::optional<double> bytesPerParam; ///< of the weights, where their format is named
    std::string acceleratorRemark;       ///< which was taken of several of that name
    std::vector<std::string> doubts;     ///< names of which only one can be meant
};

/// Of a device that is in the table with several memories or forms, and named without them, the fastest is taken: what it
/// cannot do none of them can.
ClaimNames takeNames(const std::string& text);

} // namespace tailmark
