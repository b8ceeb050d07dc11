// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/share_safe.h"

#include "plan/plan_json.h"
#include "target/error_text.h"

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

void hideIn(nlohmann::ordered_json& value)
{
    nlohmann::json plain = value;
    hideSecrets(plain);
    value = plain;
}

/// Not the whole object at once: the name of an environment variable (api_key_env) is no secret.
void hideInTarget(nlohmann::ordered_json& target)
{
    for (const char* key : {"base_url", "proxy", "metrics_url", "headers", "extra_body"})
        hideIn(target.at(key));
}

} // namespace

nlohmann::ordered_json shareSafeMatrix(const Matrix& matrix)
{
    nlohmann::ordered_json json = matrixToJson(matrix);
    hideInTarget(json.at("target"));
    if (const auto paired = json.find("paired_with"); paired != json.end())
        hideInTarget(paired->at("target"));
    for (const char* key : {"sampling", "extras"})
        hideIn(json.at("workload").at(key));
    return json;
}

RunCard shareSafeCard(const RunCard& card)
{
    RunCard safe;
    std::map<std::string, std::string> sent;
    for (const auto& [key, entry] : card.entries()) {
        nlohmann::json value = {{key, entry.value}};
        hideSecrets(value);
        const std::string text = value.at(key);
        if (entry.origin == CardOrigin::Read)
            safe.read(key, text, entry.source);
        else if (entry.origin == CardOrigin::Typed)
            safe.type(key, text);
        else if (entry.origin == CardOrigin::Sent)
            sent[key] = text;
        if (!entry.standard.empty())
            safe.setStandard(key, entry.standard);
    }
    safe.setSent(sent);
    return safe;
}

} // namespace tailmark
