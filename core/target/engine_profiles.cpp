// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/engine_profiles.h"

#include "base/embedded_file.h"

#include <algorithm>

namespace tailmark {

std::span<const EmbeddedFile> engineProfileFiles(); // resources/engines

namespace {

// vLLM answers /server_info with JSON only when asked so; other servers ignore the query.
constexpr std::string_view kInfoDocuments[] = {"/version", "/server_info?config_format=json", "/props",
                                               "/info", "/api/version"};

/// A file that cannot be read is left out; the tests read each of them.
std::vector<EngineProfile> readProfiles()
{
    std::vector<EngineProfile> profiles;
    for (const EmbeddedFile& file : engineProfileFiles())
        if (Result<EngineProfile> profile =
                parseEngineProfile(std::string(file.text), std::string(file.name)))
            profiles.push_back(std::move(profile).value());
    return profiles;
}

bool has(const std::vector<std::string>& fields, std::string_view field)
{
    return std::ranges::find(fields, field) != fields.end();
}

} // namespace

FieldUse EngineProfile::use(std::string_view field) const
{
    if (has(request.taken, field))
        return FieldUse::Taken;
    if (has(request.ignored, field))
        return FieldUse::Ignored;
    return has(request.refused, field) ? FieldUse::Refused : request.others;
}

std::span<const std::string_view> infoDocuments()
{
    return kInfoDocuments;
}

const std::vector<EngineProfile>& engineProfiles()
{
    static const std::vector<EngineProfile> profiles = readProfiles();
    return profiles;
}

const EngineProfile& engineProfile(std::string_view id)
{
    static const EngineProfile bare{};
    const auto find = [](std::string_view wanted) {
        const auto it = std::ranges::find(engineProfiles(), wanted, &EngineProfile::id);
        return it == engineProfiles().end() ? nullptr : &*it;
    };
    if (const EngineProfile* const found = find(id))
        return *found;
    const EngineProfile* const generic = find("generic");
    return generic ? *generic : bare;
}

} // namespace tailmark
