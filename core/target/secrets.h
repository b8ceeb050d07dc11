// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

// Servers tell their settings with keys in them (SGLang's /server_info), repeat a wrong key in an error, or
// print an environment. None of it may reach a file, a report or a screen: what names a secret and what looks
// like one is replaced by "•••".

/// Whether a key of a settings object or header names a secret ("api_key", "Authorization", "hf_token").
bool namesSecret(std::string_view key);
/// Hides inside running text what stands behind such a name (key=value, "key": "value", --api-key value) and
/// what has the shape of a secret: bearer tokens, keys of known makers, JSON web tokens, private keys, user
/// and password in a URL.
std::string hideSecrets(std::string_view text);
/// Replaces, at any depth, the texts under every key that names a secret, all values of an environment
/// ("env", "…_env"), the word behind an argument that names one, and the secrets inside all other texts.
void hideSecrets(nlohmann::json& json);

/// The secrets among header lines, without their scheme. Words too short to be one are left out.
std::vector<std::string> secretsOf(const std::vector<std::string>& headers);
/// Hides these very secrets wherever they stand: a server may repeat a key in a form that looks like none.
std::string hideThese(const std::vector<std::string>& secrets, std::string text);

} // namespace tailmark
