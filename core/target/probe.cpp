// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe.h"

#include "base/bounded_json.h"
#include "target/address.h"
#include "target/card_facts.h"
#include "target/engine_profiles.h"
#include "target/engine_recognition.h"
#include "target/error_text.h"
#include "target/http_client.h"
#include "target/info_documents.h"
#include "target/probe_request.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::json;

std::chrono::steady_clock::time_point inSeconds(double s)
{
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

/// What a proxy says of the route, not of one request.
bool keptHeader(const std::string& name)
{
    return name == "x-litellm-version" || name == "x-litellm-model-id" ||
           name == "x-litellm-model-api-base" || name.starts_with("x-litellm-attempted-");
}

std::string listed(const std::vector<std::string>& names)
{
    constexpr std::size_t kShown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
        text += (i ? ", " : "") + names[i];
    if (names.size() > kShown)
        text += " and " + std::to_string(names.size() - kShown) + " more";
    return plainLine(text);
}

std::string modelMustBeNamed(const std::vector<std::string>& models)
{
    return "the server has " + std::to_string(models.size()) + " models, name one: " + listed(models);
}

/// What holds for every listed model, so for whichever will be named.
Json commonMembers(const Json& entries)
{
    Json common = entries.front();
    for (const Json& entry : entries)
        for (auto member = common.begin(); member != common.end();)
            member = entry.is_object() && entry.contains(member.key()) && entry[member.key()] == *member
                         ? std::next(member)
                         : common.erase(member);
    return common;
}

class Probe
{
public:
    Probe(const Target& target, const CardInput& card, const Limits& limits, const Workload& workload,
          std::vector<std::string> headers, const std::atomic<bool>* stop)
        : m_target(target), m_card(card), m_limits(limits), m_workload(workload),
          m_http(std::move(headers), connectionOf(target), stop),
          m_documents(m_http, target, inSeconds(limits.connectTimeoutS))
    {
    }

    Result<ProbeResult> run(bool sendRequest)
    {
        m_result.baseUrl = hideSecrets(apiUrl(m_target, ""));
        if (Status status = readModels(sendRequest); !status)
            return status.error();
        m_result.reachable = true;
        identify();
        chooseBody();
        if (sendRequest && !m_result.model.empty())
            if (Status status = askOnce(); !status)
                return status.error();
        fillCard();
        return std::move(m_result);
    }

private:
    void note(std::string text) { m_result.notes.push_back(std::move(text)); }

    /// /v1/models, and which of them will be asked.
    Status readModels(bool sendRequest)
    {
        HttpLimits limits;
        limits.connectS = limits.totalS = m_limits.connectTimeoutS;
        const std::string url = apiUrl(m_target, "/models");
        const Result<HttpReply> got = m_http.get(url, limits);
        if (!got)
            return got.error();
        const HttpReply& reply = got.value();
        m_documents.addHeaders(reply.headers);
        const auto refuse = [&](const std::string& why) -> Status {
            return Error{ErrorCode::Unreachable, hideSecrets(url), plainLine(why)};
        };
        if (reply.status != 200) {
            const ServerError said = readServerError(reply.body);
            std::string why =
                "HTTP " + std::to_string(reply.status) + (said.text.empty() ? "" : ": " + said.text);
            if (reply.status >= 300 && reply.status < 400)
                why += ", redirects are not followed (to " + hideSecrets(reply.location) + ")";
            else if ((reply.status == 401 || reply.status == 403) && m_target.apiKeyEnv.empty())
                why +=
                    ", no API key was sent (target.api_key_env names the environment variable that holds it)";
            else if (reply.status == 404 && !apiUrl(m_target, "").ends_with("/v1"))
                why += ", the base URL of most servers ends with /v1";
            else if (reply.status == 404 && sendRequest && !m_target.model.empty()) {
                note("the server lists no models (HTTP 404): whether it has " + m_target.model +
                     " is not known");
                m_result.model = m_target.model;
                return success();
            }
            return refuse(why);
        }
        const Json json = boundedJson(reply.body);
        if (!reply.complete || !json.is_object() || !json.contains("data") || !json["data"].is_array())
            return refuse("not a list of models as OpenAI's API has it: " +
                          (reply.body.empty() ? "nothing" : plainLine(reply.body, 120)));
        return chooseModel(json["data"]);
    }

    Status chooseModel(const Json& entries)
    {
        for (const Json& entry : entries)
            if (entry.is_object() && entry.contains("id") && entry["id"].is_string())
                m_result.models.push_back(entry["id"].get<std::string>());
        const std::vector<std::string>& models = m_result.models;
        const std::string where = hideSecrets(apiUrl(m_target, "/models"));
        if (models.empty())
            return Error{ErrorCode::Unreachable, where, "the server lists no model"};
        if (m_target.model.empty() && models.size() > 1) {
            note(modelMustBeNamed(models));
            m_documents.setModel(commonMembers(entries));
            return success();
        }
        m_result.model = m_target.model.empty() ? models.front() : m_target.model;
        const auto found = std::find_if(entries.begin(), entries.end(), [&](const Json& entry) {
            return entry.is_object() && entry.contains("id") && entry["id"] == m_result.model;
        });
        if (found == entries.end())
            return Error{ErrorCode::Unreachable, where,
                         "the model " + m_result.model + " is not among those listed: " + listed(models)};
        m_documents.setModel(*found);
        return success();
    }

    void identify()
    {
        const RecognisedEngine found = recogniseEngine(m_documents);
        const bool stated = !m_target.engine.empty() && m_target.engine != "auto";
        m_profile = stated          ? &engineProfile(m_target.engine)
                    : found.profile ? found.profile
                                    : &engineProfile("generic");
        m_result.engine = m_profile->id;
        m_result.recognisedBy = found.by;
        m_result.emptyDelta = m_profile->request.emptyDelta;
        if (stated && found.profile && found.profile != m_profile)
            note("the target is stated to be " + m_profile->id + ", but looks like " + found.profile->id +
                 " by " + found.by);
        if (!stated && !found.profile)
            note("the engine was not recognised: only request fields that every server takes are sent");
    }

    void chooseBody()
    {
        const RequestFields& fields = m_profile->request;
        BodyOptions& body = m_result.body;
        body.model = m_result.model;
        body.streamOptions = fields.streamOptions;
        body.ignoreEos = fields.ignoreEos;
        body.minTokens = fields.minTokens;
        body.maxTokensField = fields.maxTokens;
        chooseEvidence();
        if (!body.ignoreEos && m_workload.output == OutputPolicy::Forced)
            note("output lengths cannot be forced on this engine: the lengths that come about are reported");
        for (const Json* asked : {&m_workload.sampling, &m_workload.extras, &m_target.extraBody})
            for (const auto& [field, value] : asked->items())
                if (m_profile->use(field) == FieldUse::Ignored)
                    note(m_profile->title + " ignores " + plainLine(field) + ": it has no effect");
    }

    /// Logprobs only where nothing else tells the tokens of a chunk: they cost the engine most.
    void chooseEvidence()
    {
        if (m_workload.tokenEvidence == TokenEvidencePolicy::Off || !m_workload.streaming)
            return;
        for (const TokenEvidence& evidence : m_profile->request.evidence)
            if (m_target.api == Api::Chat ? evidence.chat : evidence.completions) {
                m_result.body.evidenceFields = evidence.fields;
                return;
            }
        note(m_profile->title +
             " has no field that makes it tell the tokens of each chunk: they stay unknown");
    }

    Status askOnce()
    {
        HttpLimits limits;
        limits.connectS = m_limits.connectTimeoutS;
        limits.totalS = m_limits.connectTimeoutS + m_limits.firstTokenTimeoutS;
        const Result<ProbeAnswer> asked =
            sendProbeRequest(m_http, m_target, m_workload, *m_profile, m_result.body, limits);
        if (!asked)
            return asked.error();
        const ProbeAnswer& answer = asked.value();
        m_documents.addHeaders(answer.headers);
        m_result.body = answer.body;
        m_result.requestCompleted = true;
        m_result.promptTokensReported = answer.record.promptTokens;
        m_result.outputTokensReported = answer.record.outputTokens;
        m_result.cachedTokensReported = answer.record.cachedTokens;
        if (m_target.api == Api::Chat && templateTokens(answer) >= 0)
            m_result.body.chatOverheadTokens = templateTokens(answer);
        for (const std::string& dropped : answer.dropped)
            note(dropped);
        m_result.checks = checkAnswer(answer, m_result.model, m_target, m_workload, *m_profile);
        for (const ProbeCheck& check : m_result.checks)
            if (check.warns)
                note(check.text);
        return success();
    }

    /// After the request: some servers know a model only once it is loaded.
    void fillCard()
    {
        RunCard& card = m_result.card;
        for (const auto& [key, value] : m_card.entries)
            card.type(key, value);
        for (const auto& [name, value] : m_card.flags)
            card.type("flags." + name, value);
        if (!m_result.recognisedBy.empty())
            card.read("engine", m_profile->id, m_result.recognisedBy);
        else if (m_profile->id != "generic")
            card.read("engine", m_profile->id, "target.engine");

        m_documents.extendDeadline(inSeconds(m_limits.connectTimeoutS));
        m_result.contextTokens = readCard(card, *m_profile, m_documents);
        m_result.version = card.entry("engine_version").origin == CardOrigin::Read
                               ? card.entry("engine_version").value
                               : std::string();
        for (const auto& [name, value] : m_documents.headers())
            if (name == "server" || name == "via" || (name.starts_with("x-litellm-") && keptHeader(name)))
                m_result.headers[name] = value;
        m_result.documents = m_documents.redacted();
    }

    const Target& m_target;
    const CardInput& m_card;
    const Limits& m_limits;
    const Workload& m_workload;
    HttpClient m_http;
    InfoDocuments m_documents;
    const EngineProfile* m_profile = nullptr;
    ProbeResult m_result;
};

} // namespace

Result<ProbeResult> probe(const Target& target, const CardInput& card, const Limits& limits, bool sendRequest,
                          const std::atomic<bool>* stop, const Workload& workload)
{
    Result<std::vector<std::string>> headers = requestHeaders(target);
    if (!headers)
        return headers.error();
    return Probe(target, card, limits, workload, std::move(headers).value(), stop).run(sendRequest);
}

Status needOneModel(const ProbeResult& result)
{
    if (!result.model.empty())
        return success();
    return Error{ErrorCode::BadInput, "target.model", modelMustBeNamed(result.models)};
}

nlohmann::ordered_json probeToJson(const ProbeResult& result)
{
    const auto count = [](int value) {
        return value < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    };
    nlohmann::ordered_json json;
    json["base_url"] = result.baseUrl;
    json["reachable"] = result.reachable;
    json["engine"] = result.engine;
    json["version"] = result.version;
    json["model"] = result.model;
    json["models"] = result.models;
    json["context_tokens"] =
        result.contextTokens > 0 ? nlohmann::ordered_json(result.contextTokens) : nullptr;
    json["recognised_by"] = result.recognisedBy;
    json["card"] = cardToJson(result.card);
    json["request_fields"] = {
        {"stream_options", result.body.streamOptions},  {"ignore_eos", result.body.ignoreEos},
        {"min_tokens", result.body.minTokens},          {"max_tokens_field", result.body.maxTokensField},
        {"token_evidence", result.body.evidenceFields}, {"refused", result.body.refusedFields}};
    json["request"] = {{"completed", result.requestCompleted},
                       {"prompt_tokens", count(result.promptTokensReported)},
                       {"output_tokens", count(result.outputTokensReported)},
                       {"cached_tokens", count(result.cachedTokensReported)},
                       {"chat_overhead_tokens", result.body.chatOverheadTokens}};
    json["checks"] = nlohmann::ordered_json::array();
    for (const ProbeCheck& check : result.checks)
        json["checks"].push_back(
            {{"id", check.id}, {"state", checkStateId(check.state)}, {"text", check.text}});
    json["notes"] = result.notes;
    json["headers"] = result.headers;
    json["documents"] = result.documents;
    return json;
}

} // namespace tailmark
