// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// JSON without duplicate keys, of which a parser would silently keep the last, and not nested beyond any
/// use. Error: BadInput with "source:line:column".
Result<nlohmann::json> parseStrictly(const std::string& text, const std::string& source);

} // namespace tailmark
