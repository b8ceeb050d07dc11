// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_json_field.h"

namespace tailmark::ui {

QString jsonFieldText(const nlohmann::json& object)
{
    if (object.empty())
        return {};
    return QString::fromStdString(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

QString readJsonField(const QString& text, nlohmann::json& object)
{
    if (text.trimmed().isEmpty()) {
        object = nlohmann::json::object();
        return {};
    }
    nlohmann::json read = nlohmann::json::parse(text.toStdString(), nullptr, false);
    if (!read.is_object())
        return PlanForm::tr("a JSON object is expected, like {\"top_p\": 0.9}");
    object = std::move(read);
    return {};
}

PlanLineEdit* addHeadersField(PlanForm& form, const std::string& path, const QString& label, int span)
{
    PlanLineEdit* field = form.addText(
        path, label,
        [](const Matrix& matrix) { return jsonFieldText(nlohmann::json(matrix.target.headers)); },
        [](Matrix& matrix, const QString& text) {
            nlohmann::json object;
            QString problem = readJsonField(text, object);
            std::map<std::string, std::string> headers;
            for (const auto& [name, value] : object.items()) {
                if (!value.is_string())
                    return PlanForm::tr("the value of %1 must be a text").arg(QString::fromStdString(name));
                headers[name] = value.get<std::string>();
            }
            if (problem.isEmpty())
                matrix.target.headers = headers;
            return problem;
        },
        PlanForm::tr("Sent with each request, like {\"X-Team\": \"perf\"}. Never a key: that comes from the "
                     "environment."),
        span);
    field->setPlaceholderText(PlanForm::tr("JSON object, none"));
    return field;
}

} // namespace tailmark::ui
