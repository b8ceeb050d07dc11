// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

namespace tailmark::ui {

// The sample matrices that come with the program (resources/matrices).

/// What the demo runs, without its target.
Result<Matrix> demoMatrix();
/// The tests that are recommended for any engine, for the target of a matrix: its target, run card and bound
/// are kept.
Matrix recommendedFor(const Matrix& matrix);
/// What a new matrix begins with: a diagnostic, two sweeps and a burst; without a name.
Matrix newMatrix();

} // namespace tailmark::ui
