// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/request_body.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& json)
{
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void merge(ordered_json& into, const nlohmann::json& from)
{
    for (const auto& [key, value] : from.items())
        into[key] = value;
}

/// The same where objects in both are merged too: {"stream_options": {…}}.
void mergeDeep(ordered_json& into, const nlohmann::json& from)
{
    for (const auto& [key, value] : from.items()) {
        if (value.is_object() && into.contains(key) && into[key].is_object())
            mergeDeep(into[key], value);
        else
            into[key] = value;
    }
}

/// `path`: a key, or the key of an object and one of its members ("stream_options.include_usage").
void leaveOut(ordered_json& fields, const std::string& path)
{
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos)
        fields.erase(path);
    else if (const auto object = fields.find(path.substr(0, dot));
             object != fields.end() && object->is_object())
        object->erase(path.substr(dot + 1));
}

void appendNumber(std::string& out, std::int32_t number)
{
    char digits[16];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

} // namespace

RequestBody::RequestBody(const Matrix& matrix, const BodyOptions& options)
{
    const Workload& workload = matrix.workload;
    const bool forced = workload.output == OutputPolicy::Forced;
    const std::string& model = options.model.empty() ? matrix.target.model : options.model;

    // Later ones win: what the user gives for this workload over ours, what they give for this target over
    // both.
    ordered_json fields = ordered_json::object();
    fields["stream"] = workload.streaming;
    if (workload.streaming && options.streamOptions)
        fields["stream_options"] = {{"include_usage", true}};
    if (forced && options.ignoreEos)
        fields["ignore_eos"] = true;
    if (workload.streaming)
        mergeDeep(fields, options.evidenceFields);
    if (!options.streamOptions)
        fields.erase("stream_options");
    merge(fields, workload.sampling);
    for (const std::string& field : options.refusedFields)
        leaveOut(fields, field);
    merge(fields, workload.extras);
    merge(fields, matrix.target.extraBody);

    m_head = "{";
    if (!model.empty())
        m_head += "\"model\":" + dump(model) + ',';
    const bool chat = matrix.target.api == Api::Chat;
    m_head += chat ? R"("messages":[{"role":"user","content":")" : R"("prompt":")";
    const std::string members = dump(fields); // never empty: "stream" is always there
    m_maxTokens = std::string(chat ? R"("}],)" : R"(",)") + members.substr(1, members.size() - 2) + ',' +
                  dump(options.maxTokensField) + ':';
    if (forced && options.ignoreEos && options.minTokens && !fields.contains("min_tokens"))
        m_minTokens = R"(,"min_tokens":)";
}

void RequestBody::end(std::string& body, std::int32_t outputTokens) const
{
    body += m_maxTokens;
    appendNumber(body, outputTokens);
    if (!m_minTokens.empty()) {
        body += m_minTokens;
        appendNumber(body, outputTokens);
    }
    body += '}';
}

} // namespace tailmark
