// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "target/http_client.h"

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tailmark {

/// The JSON documents in which a server tells of itself, each asked for once. What does not answer with a
/// JSON object in time is null: its absence is a fact like another.
class InfoDocuments
{
public:
    /// No document is waited for beyond `deadline`.
    InfoDocuments(HttpClient& http, const Target& target, std::chrono::steady_clock::time_point deadline);

    /// `name`: "model", or paths beside the API prefix, of which the first that answers counts ("/a|/b").
    const nlohmann::json& at(std::string_view name);
    /// The member at a JSON pointer, null where absent.
    const nlohmann::json& at(std::string_view name, std::string_view pointer);

    /// Response headers of all that was asked so far, by name in lower case.
    const std::map<std::string, std::string>& headers() const { return m_headers; }
    void addHeaders(const std::map<std::string, std::string>& headers);
    /// Every document that was there, by its path, secrets hidden.
    nlohmann::json redacted() const;

    /// The entry of /v1/models that will be asked.
    void setModel(nlohmann::json card) { m_documents["model"] = std::move(card); }
    void extendDeadline(std::chrono::steady_clock::time_point deadline) { m_deadline = deadline; }

private:
    nlohmann::json fetch(const std::string& path);

    HttpClient& m_http;
    const Target& m_target;
    std::chrono::steady_clock::time_point m_deadline;
    std::map<std::string, nlohmann::json, std::less<>> m_documents;
    std::map<std::string, std::string> m_headers;
};

} // namespace tailmark
