// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "target/engine_profiles.h"
#include "target/http_client.h"
#include "target/prompt_calibration.h"

#include <string>

namespace tailmark {

/// The server's own tokenizer: counts a text as it will stand in a request, in a chat with the template around
/// it where the server tells that. Of several ways to ask the first that answers is kept. Blocking; one thread.
class TokenizerClient
{
public:
    TokenizerClient(HttpClient& http, const Target& target, const PromptAccess& access, std::string model,
                    const HttpLimits& limits);

    /// False: the engine has no such endpoint.
    bool available() const { return !m_ways.empty(); }
    /// Error: Unreachable, when no way gives a count; Cancelled.
    Result<TokenCount> count(const std::string& text);

private:
    /// One call, or two when the template is asked for first.
    struct Way
    {
        EndpointCall applyTemplate;
        EndpointCall tokenize;
    };
    Result<TokenCount> ask(const Way& way, const std::string& text);
    Result<nlohmann::json> call(const EndpointCall& endpoint, const std::string& text);

    HttpClient& m_http;
    const Target& m_target;
    std::string m_model;
    HttpLimits m_limits;
    std::vector<Way> m_ways; ///< the best first
};

} // namespace tailmark
