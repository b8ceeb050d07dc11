// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/endpoint.h"

#include "target/address.h"

#include <string>
#include <utility>
#include <vector>

namespace tailmark {

Result<Endpoint> makeEndpoint(const Matrix& matrix)
{
    const Target& target = matrix.target;
    Result<std::vector<std::string>> headers = requestHeaders(target);
    if (!headers)
        return headers.error();
    Endpoint endpoint;
    endpoint.url = completionsUrl(target);
    endpoint.api = target.api;
    endpoint.streaming = matrix.workload.streaming;
    endpoint.headers = std::move(headers).value();
    endpoint.tls = target.tls;
    endpoint.limits = matrix.limits;
    return endpoint;
}

} // namespace tailmark
