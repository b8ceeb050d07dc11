// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/cold_start.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// How the target came up and settled; empty without a cold start.
ReportSection coldStartSection(const RunResults& results);

/// `cold_start` of a point in the result file; null without one.
nlohmann::ordered_json coldStartJson(const std::optional<ColdStartSummary>& summary);

} // namespace tailmark
