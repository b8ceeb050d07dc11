// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "load/load_generator.h"
#include "plan/matrix.h"

namespace tailmark {

/// Where a matrix sends its requests, with the API key from the environment variable that it names. The
/// result holds the key and is never stored. Error: BadInput when that variable is not set.
Result<Endpoint> makeEndpoint(const Matrix& matrix);

} // namespace tailmark
