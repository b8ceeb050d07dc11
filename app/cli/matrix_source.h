// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

#include <string>
#include <vector>

namespace tailmark::cli {

/// What the command line says in place of the matrix file.
struct Overrides
{
    std::string baseUrl; ///< empty = as in the file
    std::string model;
    std::string pairedUrl; ///< of a second target that is asked as the first; empty = as in the file
    std::vector<std::string> settings; ///< path=value, after those above
};

/// Reads a matrix file and applies the overrides. A relative path of an override is relative to the working
/// folder.
Result<Matrix> readMatrix(const std::string& file, const Overrides& overrides);

/// What is wrong with the input of a run lies in its matrix: the error with the matrix file in front, and the key of
/// the file that it is about.
Error ofMatrix(const std::string& file, const Matrix& matrix, const Error& error);

} // namespace tailmark::cli
