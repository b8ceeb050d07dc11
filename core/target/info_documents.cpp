// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/info_documents.h"

#include "base/bounded_json.h"
#include "target/address.h"
#include "target/secrets.h"

#include <algorithm>

namespace tailmark {

namespace {

const nlohmann::json kAbsent;

/// An info endpoint answers at once or is of no use.
constexpr double kPatienceS = 3;

} // namespace

InfoDocuments::InfoDocuments(HttpClient& http, const Target& target,
                             std::chrono::steady_clock::time_point deadline)
    : m_http(http), m_target(target), m_deadline(deadline)
{
}

const nlohmann::json& InfoDocuments::at(std::string_view name)
{
    for (;;) {
        const std::size_t bar = name.find('|');
        const std::string path(name.substr(0, bar));
        auto known = m_documents.find(path);
        if (known == m_documents.end())
            known = m_documents.emplace(path, path.starts_with('/') ? fetch(path) : nlohmann::json()).first;
        if (!known->second.is_null() || bar == std::string_view::npos)
            return known->second;
        name.remove_prefix(bar + 1);
    }
}

const nlohmann::json& InfoDocuments::at(std::string_view name, std::string_view pointer)
{
    const nlohmann::json& document = at(name);
    const nlohmann::json::json_pointer where{std::string(pointer)};
    return document.is_object() && document.contains(where) ? document.at(where) : kAbsent;
}

void InfoDocuments::addHeaders(const std::map<std::string, std::string>& headers)
{
    for (const auto& [name, value] : headers)
        m_headers[name] = value;
}

nlohmann::json InfoDocuments::redacted() const
{
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [path, document] : m_documents)
        if (!document.is_null())
            all[path] = document;
    hideSecrets(all);
    return all;
}

nlohmann::json InfoDocuments::fetch(const std::string& path)
{
    const double left = std::chrono::duration<double>(m_deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0.01)
        return {};
    HttpLimits limits;
    limits.connectS = limits.totalS = std::min(left, kPatienceS);
    const Result<HttpReply> reply = m_http.get(serverUrl(m_target, path), limits);
    if (reply)
        addHeaders(reply.value().headers);
    if (!reply || reply.value().status != 200 || !reply.value().complete)
        return {};
    nlohmann::json json = boundedJson(reply.value().body);
    return json.is_object() ? json : nlohmann::json();
}

} // namespace tailmark
