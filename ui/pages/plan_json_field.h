// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

#include <map>
#include <string>

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

QString readHeaders(const QString& text, std::map<std::string, std::string>& headers);

/// The headers that go with each request, as a JSON object of texts.
template <typename Access>
PlanLineEdit* addHeadersField(PlanForm& form, const std::string& path, const QString& label, Access access,
                              int span = 2)
{
    PlanLineEdit* field = form.addText(
        path, label, [access](const Matrix& matrix) { return jsonFieldText(nlohmann::json(access(matrix))); },
        [access](Matrix& matrix, const QString& text) { return readHeaders(text, access(matrix)); },
        PlanForm::tr("Sent with each request, like {\"X-Team\": \"perf\"}. Never a key: that comes from the "
                     "environment."),
        span);
    field->setPlaceholderText(PlanForm::tr("JSON object, none"));
    return field;
}

} // namespace tailmark::ui
