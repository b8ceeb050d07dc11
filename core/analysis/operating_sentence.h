// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"

#include <string>

namespace tailmark {

/// What an operating point means, in words that may stand alone on a slide: no throughput without the latency
/// at which it was had.
std::string operatingSentence(const OperatingPoint& op, const Curve& curve);

/// "concurrency 32", "4 requests/s offered".
std::string loadText(const Load& load);

} // namespace tailmark
