// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/server.h"

#include <algorithm>
#include <cctype>
#include <ctime>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "sim/event_loop.h"
#include "sim/generations.h"
#include "sim/http_server.h"

namespace tailmark::sim {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

bool isJson(std::string_view contentType)
{
    std::string type(contentType.substr(0, contentType.find(';')));
    type.erase(type.find_last_not_of(" \t") + 1);
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
    return type == kJsonType;
}

} // namespace

class Server::Impl final : public HttpHandler
{
public:
    Impl(const ServerOptions& options, TruthLog truth)
        : m_options(options), m_http(m_loop, *this), m_generations(m_loop, m_http, options, std::move(truth))
    {
        for (const Fault& fault : options.faults)
            if (fault.kind == FaultKind::SlowStart)
                m_readyAt = m_clock.now() + fromSeconds(fault.param);
    }

    Status listen()
    {
        auto port = m_http.listen(m_options.host, m_options.port);
        if (!port)
            return port.error();
        m_port = port.value();
        return success();
    }
    void run()
    {
        m_loop.run();
        m_generations.endAll();
    }
    EventLoop& loop() { return m_loop; }
    int port() const { return m_port; }
    const std::string& host() const { return m_options.host; }

    void onRequest(Connection& connection, HttpRequest request) override;
    void onClosed(Connection& connection) override { m_generations.clientGone(connection.openRequest); }

private:
    using Route = void (Impl::*)(Connection&, const HttpRequest&);
    struct Endpoint
    {
        std::string_view method;
        std::string_view path;
        Route route;
    };
    static const Endpoint kEndpoints[];

    void chat(Connection& c, const HttpRequest& r) { m_generations.start(c, Api::Chat, r); }
    void completions(Connection& c, const HttpRequest& r) { m_generations.start(c, Api::Completions, r); }
    void models(Connection& connection, const HttpRequest&);
    void health(Connection& connection, const HttpRequest&) { connection.respond(200, "", ""); }
    void version(Connection& connection, const HttpRequest&);
    void metrics(Connection& connection, const HttpRequest&);
    void tokenize(Connection& connection, const HttpRequest& request);
    void resetPrefixCache(Connection& connection, const HttpRequest&);
    void serverInfo(Connection& connection, const HttpRequest&);

    const ServerOptions m_options;
    MonotonicClock m_clock;
    EventLoop m_loop;
    HttpServer m_http;
    Generations m_generations;
    Nanoseconds m_readyAt = m_clock.now();
    const std::int64_t m_started = std::time(nullptr);
    int m_port = 0;
};

const Server::Impl::Endpoint Server::Impl::kEndpoints[] = {
    {"POST", "/v1/chat/completions", &Impl::chat},
    {"POST", "/v1/completions", &Impl::completions},
    {"GET", "/v1/models", &Impl::models},
    {"GET", "/health", &Impl::health},
    {"GET", "/ping", &Impl::health},
    {"GET", "/version", &Impl::version},
    {"GET", "/metrics", &Impl::metrics},
    {"POST", "/tokenize", &Impl::tokenize},
    {"POST", "/reset_prefix_cache", &Impl::resetPrefixCache},
    {"GET", "/server_info", &Impl::serverInfo},
};

void Server::Impl::onRequest(Connection& connection, HttpRequest request)
{
    const Endpoint* endpoint = nullptr;
    bool pathKnown = false;
    for (const Endpoint& candidate : kEndpoints)
        if (candidate.path == request.path) {
            pathKnown = true;
            if (candidate.method == request.method)
                endpoint = &candidate;
        }
    const bool generates =
        endpoint && (endpoint->route == &Impl::chat || endpoint->route == &Impl::completions);
    std::optional<ApiError> error;
    if (endpoint && endpoint->route == &Impl::tokenize && !m_options.tokenizer)
        pathKnown = false;
    if (m_clock.now() < m_readyAt)
        error = ApiError{503, "The engine is starting.", ""};
    else if (!pathKnown)
        return connection.respond(404, kJsonType, R"({"detail":"Not Found"})");
    else if (!endpoint)
        return connection.respond(405, kJsonType, R"({"detail":"Method Not Allowed"})");
    else if ((generates || endpoint->route == &Impl::tokenize) && !isJson(request.header("content-type")))
        error = ApiError::badRequest("Unsupported Media Type: Only 'application/json' is allowed");
    if (error && generates)
        m_generations.refuse(connection, request, *error);
    else if (error)
        respondError(connection, *error);
    else
        (this->*endpoint->route)(connection, request);
}

void Server::Impl::models(Connection& connection, const HttpRequest&)
{
    connection.respond(200, kJsonType, modelsBody(m_generations.model(), m_options.profile.model, m_started));
}

void Server::Impl::version(Connection& connection, const HttpRequest&)
{
    connection.respond(200, kJsonType, R"({"version":")" TAILMARK_VERSION R"("})");
}

void Server::Impl::metrics(Connection& connection, const HttpRequest&)
{
    connection.respond(200, kMetricsType, m_generations.metricsText());
}

void Server::Impl::tokenize(Connection& connection, const HttpRequest& request)
{
    const auto parsed = parseTokenize(request.body, m_generations.model());
    if (const auto* error = std::get_if<ApiError>(&parsed))
        return respondError(connection, *error);
    connection.respond(200, kJsonType,
                       tokenizeBody(std::get<TokenizedPrompt>(parsed), m_generations.model().maxModelLen));
}

void Server::Impl::resetPrefixCache(Connection& connection, const HttpRequest&)
{
    // 200 whether or not it worked, as vLLM; the body tells.
    const bool done = m_generations.resetPrefixCache();
    connection.respond(200, kJsonType, done ? R"({"reset":true})" : R"({"reset":false})");
}

void Server::Impl::serverInfo(Connection& connection, const HttpRequest&)
{
    nlohmann::json faults = nlohmann::json::array();
    for (const Fault& fault : m_options.faults)
        faults.push_back(faultText(fault));
    const nlohmann::json profile = nlohmann::json::parse(profileJson(m_options.profile));
    // What an engine is told at its start, apart from what its accelerator makes of it.
    const auto withProfile = [](nlohmann::json flags, const nlohmann::json& of) {
        for (const char* key : {"block", "max_model_len", "max_num_seqs", "max_num_batched_tokens", "prefix_cache",
                                "kv_capacity_tokens", "natural_output", "speculative"})
            flags[key] = of.at(key);
        return flags;
    };
    const auto own = [](const ServerOptions& o, const nlohmann::json& faultTexts) {
        return nlohmann::json{{"max_queue", o.maxQueue},   {"seed", o.seed},
                              {"faults", faultTexts},      {"cold_penalty_ms", o.coldPenaltyMs},
                              {"lora", o.adapters},        {"tokenizer", o.tokenizer},
                              {"cached_tokens", o.cachedTokens}};
    };
    const nlohmann::json flags = withProfile(own(m_options, faults), profile);
    const nlohmann::json asNamed =
        nlohmann::json::parse(profileJson(m_options.profileAsNamed.value_or(m_options.profile)));
    const nlohmann::json standards = withProfile(own(ServerOptions(), nlohmann::json::array()), asNamed);
    nlohmann::json stepTime;
    for (const char* key : {"decode", "prefill", "step_overhead_ms", "ingest_ms", "per_token_ms", "jitter"})
        stepTime[key] = profile.at(key);
    const nlohmann::json info = {{"engine", "tailmark-sim"},
                                 {"version", TAILMARK_VERSION},
                                 {"started_with", m_options.startedWith},
                                 {"profile", profile},
                                 {"flags", flags},
                                 {"default_flags", standards},
                                 {"step_time", stepTime}};
    connection.respond(200, kJsonType, info.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Server::Server(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::create(const ServerOptions& options)
{
    if (const Status status = FaultPicker::check(options.faults); !status)
        return status.error();
    TruthLog truth;
    if (!options.truthFile.empty()) {
        auto created = TruthLog::create(options.truthFile);
        if (!created)
            return created.error();
        truth = std::move(created).value();
    }
    auto impl = std::make_unique<Impl>(options, std::move(truth));
    if (const Status status = impl->listen(); !status)
        return status.error();
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

int Server::port() const
{
    return m_impl->port();
}

std::string Server::baseUrl() const
{
    const std::string& host = m_impl->host();
    const bool ipv6 = host.find(':') != std::string::npos;
    return "http://" + (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port()) + "/v1";
}

EventLoop& Server::loop()
{
    return m_impl->loop();
}

void Server::run()
{
    m_impl->run();
}

void Server::stop()
{
    m_impl->loop().stop();
}

} // namespace tailmark::sim
