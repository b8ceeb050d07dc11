// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "target/secrets.h"

#include <string>
#include <string_view>

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

} // namespace tailmark
