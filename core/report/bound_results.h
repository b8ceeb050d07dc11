// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/document.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

// The bound of a run in the result file and in the report.

/// Null where nothing of it is known. `inputs`, `assumptions`, `levels` (what each point reached), `curves` (the bound
/// over the batch, for each test) and `operating_points`.
nlohmann::ordered_json boundJson(const RunResults& results);
/// Without blocks where nothing of it is known.
ReportSection boundSection(const RunResults& results);

} // namespace tailmark
