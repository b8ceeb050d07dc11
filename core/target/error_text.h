// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// What a server said when it refused or failed.
struct ServerError
{
    std::string text; ///< the server's own sentence, one plain line, secrets hidden; empty = it said nothing
    bool rejected = false; ///< overload: 429 or 503 as code, or told in words
};

/// Reads an error in whatever shape servers send it: {"error": object or text}, {"detail": …}, a flat object
/// with "message", an HTML page, plain text.
ServerError readServerError(std::string_view body);

/// One line of plain text of at most `maxBytes`: mark-up, control characters and repeated white space go, a
/// longer text is cut at a character and ends with "…"; secrets are hidden.
std::string plainLine(std::string_view text, std::size_t maxBytes = 300);

/// Whether a key of a settings object or header names a secret ("api_key", "Authorization", "hf_token").
bool namesSecret(std::string_view key);
/// Hides bearer tokens, API keys and key=value secrets inside running text.
std::string hideSecrets(std::string_view text);
/// The secrets among header lines, without their scheme. Words too short to be one are left out.
std::vector<std::string> secretsOf(const std::vector<std::string>& headers);
/// Hides these very secrets wherever they stand: a server may repeat a key in a form that looks like none.
std::string hideThese(const std::vector<std::string>& secrets, std::string text);
/// Replaces, at any depth, the value of every key that names a secret.
void hideSecrets(nlohmann::json& json);

} // namespace tailmark
