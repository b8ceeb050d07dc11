// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tailmark {

// How numbers are written in sentences, tables and reports of the engine: independent of any locale.

/// Three to four significant digits, thousands separated by commas: 0.0457, 1.25, 44.3, 720, 6,444.
std::string figureText(double value);
/// A whole number with thousands separated by commas.
std::string countText(std::uint64_t value);
/// Milliseconds as they are said: "250 ms", "1 s", "1.45 s".
std::string durationText(double ms);
/// A share as a percentage: "98.7 %". What is not all does not read as 100 %: "99.998 %".
std::string percentText(double share);

} // namespace tailmark
