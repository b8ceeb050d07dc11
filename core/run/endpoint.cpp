// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/endpoint.h"

#include "load/descriptors.h"
#include "target/address.h"
#include "target/error_text.h"

#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

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
    endpoint.connection = connectionOf(target);
    endpoint.limits = matrix.limits;
    return endpoint;
}

namespace {

bool speaksTls(const Target& target)
{
    return target.baseUrl.starts_with("https://");
}

/// The proxy variable that other clients would have followed; empty = none is set.
std::string proxyOfEnvironment(const Target& target)
{
    for (const char* name : {speaksTls(target) ? "https_proxy" : "http_proxy",
                             speaksTls(target) ? "HTTPS_PROXY" : "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
        if (const char* value = std::getenv(name); value && *value)
            return name;
    return {};
}

} // namespace

std::vector<std::string> connectionRemarks(const Plan& plan)
{
    const Target& target = plan.matrix.target;
    std::vector<std::string> remarks;
    if (speaksTls(target) && !target.tls.verify)
        remarks.emplace_back(
            "TLS certificates are not verified (target.tls.verify is false): who answers is not "
            "known for certain");
    if (!target.proxy.empty())
        remarks.push_back("all requests go through the proxy " + hideSecrets(target.proxy) +
                          ": its delays and limits are part of what is measured");
    if (needsOwnConnections(connectionOf(target), target.baseUrl))
        remarks.emplace_back(
            "HTTP/2 without TLS: this version of libcurl cannot use a connection again, so each "
            "request opens its own");
    int atOnce = 0;
    for (const PointPlan& point : plan.points)
        atOnce = std::max(atOnce, point.concurrency);
    if (std::string missing = missingDescriptors(atOnce); !missing.empty())
        remarks.push_back(std::move(missing));
    return remarks;
}

nlohmann::json connectionFacts(const Target& target)
{
    const std::string ignored = proxyOfEnvironment(target);
    std::string tls = "none";
    if (speaksTls(target))
        tls = !target.tls.verify          ? "not verified"
              : target.tls.caFile.empty() ? "verified by the system's authorities"
                                          : "verified by target.tls.ca_file";
    return {{"http_version", target.httpVersion == HttpVersion::Http2 ? "2" : "1.1"},
            {"tls", tls},
            {"proxy", !target.proxy.empty() ? hideSecrets(target.proxy)
                      : ignored.empty()     ? "none"
                                            : "none (" + ignored + " of the environment is not used)"}};
}

} // namespace tailmark
