// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/endpoint.h"

#include <cstdlib>
#include <string>

namespace tailmark {

Result<Endpoint> makeEndpoint(const Matrix& matrix)
{
    const Target& target = matrix.target;
    Endpoint endpoint;
    endpoint.url = target.baseUrl;
    while (endpoint.url.ends_with('/'))
        endpoint.url.pop_back();
    endpoint.url += target.api == Api::Chat ? "/chat/completions" : "/completions";
    endpoint.api = target.api;
    endpoint.streaming = matrix.workload.streaming;
    endpoint.tls = target.tls;
    endpoint.limits = matrix.limits;
    for (const auto& [name, value] : target.headers)
        endpoint.headers.push_back(name + ": " + value);
    if (!target.apiKeyEnv.empty()) {
        const char* key = std::getenv(target.apiKeyEnv.c_str());
        if (!key || !*key)
            return Error{ErrorCode::BadInput, "target.api_key_env",
                         "the environment variable " + target.apiKeyEnv + " is not set"};
        endpoint.headers.push_back(std::string("Authorization: Bearer ") + key);
    }
    return endpoint;
}

} // namespace tailmark
