// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/engine_recognition.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace tailmark {

namespace {

bool equalWords(std::string_view a, std::string_view b)
{
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool shows(const EngineSign& sign, const nlohmann::json& told)
{
    if (told.is_null())
        return false;
    return sign.value.empty() ||
           (told.is_string() && equalWords(told.get_ref<const std::string&>(), sign.value));
}

/// The first engine of which a sign of this kind was seen.
std::optional<RecognisedEngine> byHeader(const InfoDocuments& documents, bool withValue)
{
    for (const EngineProfile& profile : engineProfiles())
        for (const EngineSign& sign : profile.facts.signs) {
            if (sign.header.empty() || sign.value.empty() == withValue)
                continue;
            const auto header = documents.headers().find(sign.header);
            if (header != documents.headers().end() && (!withValue || equalWords(header->second, sign.value)))
                return RecognisedEngine{&profile, "the response header " + sign.header};
        }
    return std::nullopt;
}

} // namespace

RecognisedEngine recogniseEngine(InfoDocuments& documents)
{
    // Asked for even where the first sign is enough: they fill the card, and their absence is a fact.
    for (const std::string_view document : infoDocuments())
        documents.at(document);
    if (const auto found = byHeader(documents, false))
        return *found;
    const nlohmann::json& owner = documents.at("model", "/owned_by");
    for (const EngineProfile& profile : engineProfiles())
        if (owner.is_string() &&
            std::ranges::find(profile.facts.owners, owner.get_ref<const std::string&>()) !=
                profile.facts.owners.end())
            return {&profile, "owned_by \"" + owner.get<std::string>() + "\" in the list of models"};
    for (const EngineProfile& profile : engineProfiles())
        for (const EngineSign& sign : profile.facts.signs)
            if (!sign.document.empty() && shows(sign, documents.at(sign.document, sign.pointer)))
                return {&profile,
                        sign.pointer + " in " + sign.document.substr(0, sign.document.find_first_of("?|"))};
    return byHeader(documents, true).value_or(RecognisedEngine{});
}

} // namespace tailmark
