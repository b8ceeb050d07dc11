// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tailmark {

/// How a percentile is written everywhere, with all its digits and in no locale: "p99", "p99.9", "p99.99999".
std::string percentileText(double percent);

} // namespace tailmark
