// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/percentile_text.h"

#include <charconv>

namespace tailmark {

std::string percentileText(double percent)
{
    // The shortest digits that read back as the same number: rounding would turn 99.99999 into 100. Fixed
    // notation of the smallest double takes 326 characters.
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, percent, std::chars_format::fixed).ptr;
    return "p" + std::string(buffer, end);
}

} // namespace tailmark
