// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "report/run_results.h"

#include <iosfwd>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

struct ComparedRuns;

// Writers over RunResults; all take their numbers from the same summaries. Pure but for the stream.

/// Contract §11. Unset values are null, never NaN or 0.
nlohmann::ordered_json resultToJson(const RunResults& results);
/// One row per point: test, load, repeat, rates, percentiles of the main metrics, SLO, verdict. RFC 4180.
void writePointsCsv(const RunResults& results, std::ostream& out);
/// Contract §12: one row per request, all points.
Status writeRecordsCsv(const RunResults& results, const Store& store, std::ostream& out);
/// One self-contained HTML file with vector charts, no script, no network.
std::string htmlReport(const RunResults& results);
std::string markdownReport(const RunResults& results);
/// The same of runs side by side.
std::string comparisonHtml(const ComparedRuns& compared);
std::string comparisonMarkdown(const ComparedRuns& compared);

} // namespace tailmark
