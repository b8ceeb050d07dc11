// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// How deep JSON from outside, of a user or a server, may be nested. Nothing that is read here is nearly as deep,
/// and copying or writing a value takes stack for each of its levels.
inline constexpr int kMaxJsonDepth = 64;

/// Whether a text opens more levels than that before its first fault, if it is JSON at all. Takes no stack.
bool isNestedTooDeep(std::string_view text);
/// The value of a text from outside; discarded where it is no JSON or nested too deep. Never throws.
nlohmann::json boundedJson(std::string_view text);

} // namespace tailmark
