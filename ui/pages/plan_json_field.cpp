// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_json_field.h"

#include "base/bounded_json.h"

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
    nlohmann::json read = boundedJson(text.toStdString());
    if (!read.is_object())
        return PlanForm::tr("a JSON object is expected, like {\"top_p\": 0.9}");
    object = std::move(read);
    return {};
}

QString readHeaders(const QString& text, std::map<std::string, std::string>& headers)
{
    nlohmann::json object;
    const QString problem = readJsonField(text, object);
    std::map<std::string, std::string> read;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_string())
            return PlanForm::tr("the value of %1 must be a text").arg(QString::fromStdString(name));
        read[name] = value.get<std::string>();
    }
    if (problem.isEmpty())
        headers = read;
    return problem;
}

} // namespace tailmark::ui
