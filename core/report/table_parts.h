// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "report/document.h"

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

// What the tables of the reports share.

inline constexpr const char* kUnknownText = "unknown";

std::string cell(const std::optional<double>& value); ///< empty where it is absent
ReportTable::Column textColumn(const std::string& title);
/// "p99 TTFT (ms)" with its definition.
ReportTable::Column metricColumn(Metric metric, const std::string& before = {});
/// "concurrency 8 #2", of a burst "4 to 25 requests/s".
std::string pointName(const PointSummary& p);
/// The quantile with its mark: "1,450 (weak)"; empty where it is absent.
std::string quantileCell(const Distribution* d, double percent);
/// The latency that the SLO limits first at this point, else its headline's p99: what no throughput is said without.
std::string latencyBeside(const PointSummary& p);

/// A table that is too wide for a page as several, each with the first `keys` columns and at most `most` others.
std::vector<ReportTable> splitWide(const ReportTable& table, std::size_t keys, std::size_t most);

} // namespace tailmark
