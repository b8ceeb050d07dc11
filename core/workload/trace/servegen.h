// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/trace_builder.h"

#include <string>
#include <string_view>

namespace tailmark {

// ServeGen (alibaba/ServeGen) publishes no requests but how they were made: `chunk-N-trace.csv` without a
// header (window start in s, rate per s, CV, family Gamma or Weibull or none, shape, scale; windows of 600 s)
// and `chunk-N-dataset.json` beside it (distributions of each length per 6 h, as Python dictionaries inside
// of texts). Such a pair is read as a sample of the requests that it describes: lengths drawn from the
// marginals in proportion to the rate, prompt and output paired at random, since only marginals are
// published; no arrivals.

bool looksLikeServeGen(std::string_view begin);
Result<bool> readServeGen(ByteSource& source, const std::string& path, const TraceOptions& options,
                          TraceBuilder& builder);

} // namespace tailmark
