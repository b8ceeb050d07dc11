// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

#include <nlohmann/json.hpp>

namespace tailmark::ui {

/// A JSON object as one line of text: empty is {}.
QString jsonFieldText(const nlohmann::json& object);
QString readJsonField(const QString& text, nlohmann::json& object);

/// Adds a field for a JSON object of the matrix.
template <typename Access>
PlanLineEdit* addJsonField(PlanForm& form, const std::string& path, const QString& label, Access access,
                           const QString& help = {}, int span = 2)
{
    PlanLineEdit* field = form.addText(
        path, label, [access](const Matrix& matrix) { return jsonFieldText(access(matrix)); },
        [access](Matrix& matrix, const QString& text) { return readJsonField(text, access(matrix)); }, help,
        span);
    field->setPlaceholderText(PlanForm::tr("JSON object, none"));
    return field;
}

/// The headers that go with each request, as a JSON object of texts.
PlanLineEdit* addHeadersField(PlanForm& form, const std::string& path, const QString& label, int span = 2);

} // namespace tailmark::ui
