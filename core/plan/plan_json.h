// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "plan/plan.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

// The matrix file (contract §10) and the plan as it is stored with a run. Pure but for loadMatrix/saveMatrix.

/// Reads a matrix; an unknown key, a wrong type, a value out of range is refused with its key path and what
/// is allowed, invalid JSON with `source:line:column`. Missing keys take the defaults of matrix.h; a test
/// must say its kind and a limit its metric and value. A matrix without tests can be read, though not run.
Result<Matrix> matrixFromText(const std::string& text, const std::string& source);
Result<Matrix> matrixFromJson(const nlohmann::json& json, const std::string& source);
/// Every key of the contract, in the contract's order, defaults included.
nlohmann::ordered_json matrixToJson(const Matrix& matrix);

/// Makes every file name of the matrix absolute that is relative to `folder`.
void resolveFiles(Matrix& matrix, const std::string& folder);
/// The error with the key of the matrix in front of `where`, where that is a file which the matrix names; else as it is.
Error withKeyOfFile(const Matrix& matrix, Error error);
/// Reads a file; its file names are relative to it.
Result<Matrix> loadMatrix(const std::string& path);
/// As loadMatrix, but values out of range stay in the matrix: all of them are validate()'s to tell, and the
/// user's to mend. Only what is no matrix at all is refused.
Result<Matrix> loadDraft(const std::string& path);
/// Writes atomically (temporary file, then rename).
Status saveMatrix(const Matrix& matrix, const std::string& path);

/// Applies `--set path=value` ("measurement.duration_s=5", "tests[0].levels=[1,2]"); the value is JSON, else
/// a string; always one where the matrix has one.
Status applySetting(nlohmann::ordered_json& matrix, const std::string& assignment);

nlohmann::ordered_json planToJson(const Plan& plan);
Result<Plan> planFromJson(const nlohmann::json& json);

} // namespace tailmark
