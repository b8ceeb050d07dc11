// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

namespace tailmark::cli {

/// What the process tells its caller; scripts rely on these.
enum ExitCode : int {
    kDone = 0,
    kFault = 1,       ///< ours, or a file or database that could not be read or written
    kBadInput = 2,    ///< wrong usage or a bad input file
    kUnreachable = 3, ///< the target cannot be reached or refuses
    kNothingValid = 4,
    kConditionHolds = 5, ///< a --fail-if condition
};

/// Prints `tailmark-cli: WHERE: MESSAGE` to standard error and gives the code that goes with it.
ExitCode fail(const Error& error);

} // namespace tailmark::cli
