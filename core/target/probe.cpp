// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe.h"

#include "target/address.h"
#include "target/engine_profiles.h"
#include "target/error_text.h"
#include "target/http_client.h"
#include "target/info_documents.h"
#include "target/probe_request.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::json;

std::chrono::steady_clock::time_point inSeconds(double s)
{
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

/// A told value as one line of text; empty for what tells nothing.
std::string valueText(const Json& value)
{
    if (value.is_string())
        return plainLine(value.get_ref<const std::string&>());
    if (value.is_null() || ((value.is_object() || value.is_array()) && value.empty()))
        return {};
    Json shown = value;
    hideSecrets(shown);
    return plainLine(shown.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// GGUF files are named after their quantization: "…-Q4_K_M.gguf".
std::string quantizationInFileName(std::string_view path)
{
    if (!path.ends_with(".gguf"))
        return {};
    path.remove_suffix(5);
    const std::string_view last = path.substr(path.find_last_of("-./") + 1);
    std::string upper(last);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    const bool known =
        upper == "F16" || upper == "F32" || upper == "BF16" || upper.starts_with("MXFP") ||
        (upper.starts_with("Q") && upper.size() > 1 && std::isdigit(static_cast<unsigned char>(upper[1]))) ||
        (upper.starts_with("IQ") && upper.size() > 2 && std::isdigit(static_cast<unsigned char>(upper[2])));
    return known ? upper : std::string();
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
    Probe(const Target& target, const CardInput& card, const Limits& limits, std::vector<std::string> headers,
          const std::atomic<bool>* stop)
        : m_target(target), m_card(card), m_limits(limits), m_http(std::move(headers), target.tls, stop),
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
        const Json json = Json::parse(reply.body, nullptr, false);
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

    /// By what the server says of itself: owned_by, else a member that only one engine's documents have.
    const EngineProfile* recognised()
    {
        const std::string owner = valueText(m_documents.at("model", "/owned_by"));
        for (const std::string_view document : infoDocuments())
            m_documents.at(document);
        for (const EngineProfile& profile : engineProfiles())
            if (std::ranges::find(profile.facts.owners, owner) != profile.facts.owners.end())
                return &profile;
        for (const EngineProfile& profile : engineProfiles())
            for (const EngineSign& sign : profile.facts.signs)
                if (!sign.document.empty() && !m_documents.at(sign.document, sign.pointer).is_null())
                    return &profile;
        return nullptr;
    }

    void identify()
    {
        const EngineProfile* const found = recognised();
        m_recognised = found != nullptr;
        const bool stated = !m_target.engine.empty() && m_target.engine != "auto";
        m_profile = stated ? &engineProfile(m_target.engine) : found ? found : &engineProfile("generic");
        m_result.engine = m_profile->id;
        if (stated && found && found != m_profile)
            note("the target is stated to be " + m_profile->id + ", but looks like " + found->id);
        if (!stated && !found)
            note("the engine was not recognised: only request fields that every server takes are sent");
    }

    void chooseBody()
    {
        BodyOptions& body = m_result.body;
        body.model = m_result.model;
        body.streamOptions = m_profile->request.streamOptions;
        body.ignoreEos = m_profile->request.ignoreEos;
        body.minTokens = m_profile->request.minTokens;
        body.maxTokensField = m_profile->request.maxTokens;
        if (!body.ignoreEos)
            note("output lengths cannot be forced on this engine: the lengths that come about are reported");
    }

    Status askOnce()
    {
        HttpLimits limits;
        limits.connectS = m_limits.connectTimeoutS;
        limits.totalS = m_limits.connectTimeoutS + m_limits.firstTokenTimeoutS;
        const Result<ProbeRequestResult> asked = sendProbeRequest(m_http, m_target, m_result.body, limits);
        if (!asked)
            return asked.error();
        const ProbeRequestResult& request = asked.value();
        m_result.body = request.body;
        m_result.requestCompleted = true;
        m_result.promptTokensReported = request.promptTokens;
        m_result.outputTokensReported = request.outputTokens;
        m_result.notes.insert(m_result.notes.end(), request.notes.begin(), request.notes.end());
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
        if (m_recognised || m_profile->id != "generic")
            card.read("engine", m_profile->id);

        m_documents.extendDeadline(inSeconds(m_limits.connectTimeoutS));
        std::string parallelism;
        for (const FactSource& source : m_profile->facts.sources) {
            const Json& told = m_documents.at(source.document, source.pointer);
            const std::string& fact = source.fact;
            if (fact == "flags.*") {
                if (told.is_object())
                    for (const auto& [name, value] : told.items())
                        readFlag(name, value);
            } else if (fact.starts_with("flags.")) {
                readFlag(fact.substr(6), told);
            } else if (fact == "context") {
                if (m_result.contextTokens == 0 && told.is_number_integer())
                    m_result.contextTokens = std::max(0, told.get<int>());
            } else if (fact.starts_with("parallelism:")) {
                if (const std::string value = valueText(told); !value.empty())
                    parallelism += (parallelism.empty() ? "" : " ") + fact.substr(12) + "=" + value;
            } else if (card.entry(fact).origin != CardOrigin::Read) {
                card.read(fact, valueText(told));
            }
        }
        card.read("parallelism", parallelism);
        if (card.entry("quantization").origin != CardOrigin::Read && m_profile->id == "llamacpp")
            card.read("quantization", quantizationInFileName(card.entry("model").value));
        m_result.version = card.entry("engine_version").origin == CardOrigin::Read
                               ? card.entry("engine_version").value
                               : std::string();
    }

    void readFlag(const std::string& name, const Json& value)
    {
        if (!value.is_null())
            m_result.card.read("flags." + name, namesSecret(name) ? "•••" : valueText(value));
    }

    const Target& m_target;
    const CardInput& m_card;
    const Limits& m_limits;
    HttpClient m_http;
    InfoDocuments m_documents;
    const EngineProfile* m_profile = nullptr;
    bool m_recognised = false;
    ProbeResult m_result;
};

} // namespace

Result<ProbeResult> probe(const Target& target, const CardInput& card, const Limits& limits, bool sendRequest,
                          const std::atomic<bool>* stop)
{
    Result<std::vector<std::string>> headers = requestHeaders(target);
    if (!headers)
        return headers.error();
    return Probe(target, card, limits, std::move(headers).value(), stop).run(sendRequest);
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
    json["card"] = cardToJson(result.card);
    json["request_fields"] = {{"stream_options", result.body.streamOptions},
                              {"ignore_eos", result.body.ignoreEos},
                              {"min_tokens", result.body.minTokens},
                              {"max_tokens_field", result.body.maxTokensField}};
    json["request"] = {{"completed", result.requestCompleted},
                       {"prompt_tokens", count(result.promptTokensReported)},
                       {"output_tokens", count(result.outputTokensReported)},
                       {"chat_overhead_tokens", result.body.chatOverheadTokens}};
    json["notes"] = result.notes;
    return json;
}

} // namespace tailmark
