// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <string>
#include <vector>

namespace tailmark {

/// One thing to say about a matrix. An error keeps it from running; a remark does not.
struct Finding
{
    enum class Severity { Error, Remark };
    Severity severity = Severity::Error;
    std::string path;    ///< key path of the value it is about ("tests[1].rates_per_s[2]")
    std::string message; ///< what is wrong and what is allowed, or what to consider
};

/// Everything to say about the values of a matrix, in the order of its keys. Pure: looks at no file and no network.
/// Remarks: a sweep below eight levels, a window too short to carry a p99, an unstated cache policy…
std::vector<Finding> validate(const Matrix& matrix);
bool hasErrors(const std::vector<Finding>& findings);

} // namespace tailmark
