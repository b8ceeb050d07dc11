// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace tailmark {

/// Where an engine tells a fact. `fact`: a key of the run card ("engine_version", "flags.dtype", "flags.*"
/// for all plain members), "parallelism:tp" for a part of that entry, or "context" for the longest context in
/// tokens. `document`: "model" (the entry of /v1/models) or paths beside the API prefix, of which the first
/// that answers counts ("/server_info|/get_server_info"). `pointer`: JSON pointer into it.
struct FactSource
{
    std::string_view fact;
    std::string_view document;
    std::string_view pointer;
};

/// A member that only this engine's document has.
struct EngineSign
{
    std::string_view document;
    std::string_view pointer;
};

/// What is known of an engine beforehand: how to recognise it, which request fields it takes, where it tells
/// what.
struct EngineProfile
{
    std::string_view id;
    std::span<const std::string_view> owners; ///< values of owned_by in /v1/models
    std::span<const EngineSign> signs;        ///< where owned_by says nothing
    bool ignoreEos = false;
    bool minTokens = false;
    std::string_view maxTokensField = "max_tokens";
    std::span<const FactSource> facts = {}; ///< of one fact the first that answers wins
};

/// The info documents that are asked for to recognise an engine, in this order; 404 is an answer.
std::span<const std::string_view> infoDocuments();

std::span<const EngineProfile> engineProfiles();
/// The profile with this id; "generic" for one that is not known.
const EngineProfile& engineProfile(std::string_view id);

} // namespace tailmark
