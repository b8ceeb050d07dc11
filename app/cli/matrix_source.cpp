// SPDX-License-Identifier: GPL-3.0-or-later
#include "matrix_source.h"

#include "plan/plan_json.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace tailmark::cli {

Result<Matrix> readMatrix(const std::string& file, const Overrides& overrides)
{
    Result<Matrix> loaded = loadMatrix(file);
    if (!loaded)
        return loaded;
    Matrix& matrix = loaded.value();
    if (!overrides.baseUrl.empty())
        matrix.target.baseUrl = overrides.baseUrl;
    if (!overrides.model.empty())
        matrix.target.model = overrides.model;
    if (!overrides.pairedUrl.empty()) {
        if (!matrix.pairedWith)
            matrix.pairedWith = PairedTarget{matrix.target, {}};
        matrix.pairedWith->target.baseUrl = overrides.pairedUrl;
    }

    nlohmann::ordered_json json = matrixToJson(matrix);
    for (const std::string& setting : overrides.settings)
        if (Status status = applySetting(json, setting); !status)
            return status.error();
    Result<Matrix> changed = matrixFromJson(json, file);
    if (changed)
        resolveFiles(changed.value(), std::filesystem::current_path().string());
    return changed;
}

Error ofMatrix(const std::string& file, const Matrix& matrix, const Error& error)
{
    if (error.code != ErrorCode::BadInput)
        return error;
    return {error.code, file, withKeyOfFile(matrix, error).line()};
}

} // namespace tailmark::cli
