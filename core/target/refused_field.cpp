// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/refused_field.h"

#include "base/bounded_json.h"
#include "target/error_text.h"
#include "workload/request_body.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kStreamOptions = "stream_options";
constexpr std::string_view kOtherMaxTokens[] = {"max_tokens", "max_completion_tokens"};

bool isNameChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where `name` stands as a whole word.
std::size_t findWord(std::string_view text, std::string_view name)
{
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !isNameChar(text[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == text.size() || !isNameChar(text[end])))
            return at;
    }
    return std::string_view::npos;
}

std::string_view lastPart(std::string_view path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

/// The sent field that a path like "body.stream_options.include_usage" or a bare name means.
std::string sentField(std::string_view path, const std::vector<std::string>& sent)
{
    if (path.starts_with("body."))
        path.remove_prefix(5);
    for (; !path.empty();
         path = path.substr(0, path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.')))
        if (const auto it = std::ranges::find(sent, path); it != sent.end())
            return *it;
    return {};
}

/// pydantic's list of faults: [{"type": "extra_forbidden", "loc": ["body", "top_k"], …}].
std::string fieldOfFaults(const Json& faults, const std::vector<std::string>& sent)
{
    if (!faults.is_array())
        return {};
    for (const Json& fault : faults) {
        const auto loc = fault.is_object() ? fault.find("loc") : fault.end();
        if (!fault.is_object() || loc == fault.end() || !loc->is_array())
            continue;
        std::string path;
        for (const Json& part : *loc)
            if (part.is_string())
                path += (path.empty() ? "" : ".") + part.get<std::string>();
        if (std::string field = sentField(path, sent); !field.empty())
            return field;
    }
    return {};
}

/// The sent field whose name stands first in the words; the members of stream_options by their own names.
std::string fieldInWords(std::string_view text, const std::vector<std::string>& sent)
{
    std::string found;
    std::size_t first = std::string_view::npos;
    for (const std::string& field : sent) {
        const std::size_t at = findWord(text, lastPart(field));
        if (at < first) {
            first = at;
            found = field;
        }
    }
    return found;
}

bool saysUnknown(std::string_view body)
{
    std::string low(body);
    std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* sign :
         {"unrecognized", "unknown", "unsupported", "not supported", "does not support", "extra_forbidden",
          "extra inputs are not permitted", "extra fields not permitted", "unexpected", "not permitted",
          "not allowed", "instead"})
        if (low.find(sign) != std::string::npos)
            return true;
    return false;
}

} // namespace

RefusedField readRefusedField(std::string_view body, const std::vector<std::string>& sent)
{
    RefusedField refused;
    refused.asUnknown = saysUnknown(body);
    const Json json = boundedJson(body);
    if (json.is_object()) {
        const auto inner = json.find("error");
        const Json& error = inner != json.end() && inner->is_object() ? *inner : json;
        if (json.contains("detail"))
            refused.field = fieldOfFaults(json["detail"], sent);
        if (const auto param = error.find("param");
            refused.field.empty() && param != error.end() && param->is_string())
            refused.field = sentField(param->get_ref<const std::string&>(), sent);
    }
    if (refused.field.empty())
        refused.field = fieldInWords(body, sent);
    return refused;
}

std::vector<std::string> fieldsOf(const std::string& body)
{
    std::vector<std::string> fields;
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object())
        return fields;
    for (const auto& [name, value] : json.items()) {
        if (name == kStreamOptions && value.is_object())
            for (const auto& [member, option] : value.items())
                fields.push_back(name + '.' + member);
        fields.push_back(name);
    }
    return fields;
}

FieldDropper::FieldDropper(const Target& target, const Workload& workload)
    : m_target(target), m_workload(workload)
{
}

std::string FieldDropper::drop(std::string_view refusal, BodyOptions& body)
{
    Matrix matrix;
    matrix.target = m_target;
    matrix.workload = m_workload;
    const RequestBody request(matrix, body);
    std::string text;
    request.begin(text);
    request.end(text, 1);
    std::vector<std::string> sent = fieldsOf(text);
    std::erase_if(sent, [&](const std::string& field) {
        const std::string top = field.substr(0, field.find('.'));
        return top == "model" || top == "messages" || top == "prompt" || top == "stream" ||
               m_workload.extras.contains(top) || m_target.extraBody.contains(top);
    });
    const RefusedField refused = readRefusedField(refusal, sent);
    const std::string& field = refused.field;
    if (field.empty())
        return {};
    if (field == body.maxTokensField) {
        // its value may be what is wrong (beyond the context): only another name helps, and only once
        if (!refused.asUnknown || m_renamed)
            return {};
        m_renamed = true;
        const std::string_view other = kOtherMaxTokens[field == kOtherMaxTokens[0] ? 1 : 0];
        body.maxTokensField = other;
        return field + " was refused, " + body.maxTokensField + " is sent instead";
    }
    if (field == kStreamOptions || field == "stream_options.include_usage") {
        body.streamOptions = false;
        return "stream_options was refused and is left out: the server may report no token counts";
    }
    if (field == "ignore_eos") {
        body.ignoreEos = body.minTokens = false;
        return "ignore_eos was refused and is left out: output lengths cannot be forced";
    }
    if (field == "min_tokens") {
        body.minTokens = false;
        return "min_tokens was refused and is left out";
    }
    body.refusedFields.push_back(field);
    std::string words = field + " was refused and is left out: " + readServerError(refusal).text;
    if (field == "temperature")
        words += "; the server's own sampling applies";
    return words;
}

} // namespace tailmark
