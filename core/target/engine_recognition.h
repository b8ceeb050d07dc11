// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "target/engine_profiles.h"
#include "target/info_documents.h"

#include <string>

namespace tailmark {

struct RecognisedEngine
{
    const EngineProfile* profile = nullptr; ///< null: none of its signs was seen
    std::string by;                         ///< the sign, in words: "owned_by \"vllm\""
};

/// By what the server shows, never by a version: a proxy's response headers, since what is behind it may show
/// through; then owned_by of the model; then a member that only one engine's documents have; then other
/// headers. Asks for the info documents.
RecognisedEngine recogniseEngine(InfoDocuments& documents);

} // namespace tailmark
