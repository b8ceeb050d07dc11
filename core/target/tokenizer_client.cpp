// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/tokenizer_client.h"

#include "base/bounded_json.h"
#include "target/address.h"
#include "target/error_text.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::json;

/// `call.body` with what is asked with in the places of "$model", "$text" and "$messages".
Json filled(const Json& body, const std::string& model, const std::string& text)
{
    if (body.is_string()) {
        if (body == "$model")
            return model;
        if (body == "$text")
            return text;
        if (body == "$messages")
            return Json::array({{{"role", "user"}, {"content", text}}});
        return body;
    }
    Json made = body;
    if (made.is_object() || made.is_array())
        for (Json& member : made)
            member = filled(member, model, text);
    return made;
}

/// "/" is the answer itself.
const Json* at(const Json& answer, const std::string& pointer)
{
    if (pointer == "/")
        return &answer;
    const Json::json_pointer where(pointer);
    return !pointer.empty() && answer.contains(where) ? &answer.at(where) : nullptr;
}

/// Ids as they are told: numbers, or objects with the id as a member. Empty where one is neither.
std::vector<std::int32_t> idsOf(const Json& list, const std::string& member)
{
    std::vector<std::int32_t> ids;
    for (const Json& entry : list) {
        const Json& id = entry.is_object() && entry.contains(member) ? entry.at(member) : entry;
        if (!id.is_number_integer())
            return {};
        ids.push_back(id.get<std::int32_t>());
    }
    return ids;
}

} // namespace

TokenizerClient::TokenizerClient(HttpClient& http, const Target& target, const PromptAccess& access,
                                 std::string model, const HttpLimits& limits)
    : m_http(http), m_target(target), m_model(std::move(model)), m_limits(limits)
{
    if (target.api == Api::Chat) {
        if (access.tokenizeMessages)
            m_ways.push_back({{}, access.tokenizeMessages});
        if (access.applyTemplate && access.tokenizeText)
            m_ways.push_back({access.applyTemplate, access.tokenizeText});
    }
    if (access.tokenizeText)
        m_ways.push_back({{}, access.tokenizeText});
}

Result<TokenCount> TokenizerClient::count(const std::string& text)
{
    for (;;) {
        Result<TokenCount> counted = ask(m_ways.front(), text);
        if (counted || counted.error().code == ErrorCode::Cancelled || m_ways.size() == 1)
            return counted;
        m_ways.erase(m_ways.begin());
    }
}

Result<TokenCount> TokenizerClient::ask(const Way& way, const std::string& text)
{
    std::string templated = text;
    if (way.applyTemplate) {
        const Result<Json> answer = call(way.applyTemplate, text);
        if (!answer)
            return answer.error();
        const Json* told = at(answer.value(), way.applyTemplate.text);
        if (!told || !told->is_string())
            return Error{ErrorCode::Unreachable, way.applyTemplate.path, "tells no text"};
        templated = *told;
    }
    const Result<Json> answer = call(way.tokenize, templated);
    if (!answer)
        return answer.error();
    TokenCount tokens;
    if (const Json* list = at(answer.value(), way.tokenize.ids); list && list->is_array()) {
        tokens.ids = idsOf(*list, way.tokenize.idMember);
        tokens.count = static_cast<int>(list->size());
        return tokens;
    }
    const Json* told = at(answer.value(), way.tokenize.count);
    if (!told || !told->is_number_integer())
        return Error{ErrorCode::Unreachable, way.tokenize.path, "tells no count of tokens"};
    tokens.count = told->get<int>();
    return tokens;
}

Result<Json> TokenizerClient::call(const EndpointCall& endpoint, const std::string& text)
{
    const std::string url = serverUrl(m_target, endpoint.path);
    const std::string body = filled(endpoint.body, m_model, text).dump();
    const Result<HttpReply> sent = m_http.postJson(url, body, m_limits);
    if (!sent)
        return sent.error();
    const HttpReply& reply = sent.value();
    if (reply.status != 200 || !reply.complete)
        return Error{ErrorCode::Unreachable, hideSecrets(url), "HTTP " + std::to_string(reply.status)};
    Json answer = boundedJson(reply.body);
    if (answer.is_discarded())
        return Error{ErrorCode::Unreachable, hideSecrets(url), "the answer is not JSON"};
    return answer;
}

} // namespace tailmark
