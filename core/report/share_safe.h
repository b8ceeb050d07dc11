// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "record/run_card.h"

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

// What a result file or report may carry away from the machine: a secret that was written into a header,
// body, URL or flag is hidden.

nlohmann::ordered_json shareSafeMatrix(const Matrix& matrix);
RunCard shareSafeCard(const RunCard& card);

} // namespace tailmark
