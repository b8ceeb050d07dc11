// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/validate.h"

#include <vector>

namespace tailmark {

/// What is wrong with how requests of the tests arrive, beyond single values: recorded arrivals and think times
/// without a log, a shape out of order, a cold start beside another. Part of valueErrors(). Pure.
std::vector<Finding> arrivalErrors(const Matrix& matrix);
/// What to consider of it. Part of validate().
std::vector<Finding> arrivalRemarks(const Matrix& matrix);

} // namespace tailmark
