// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/card_facts.h"

#include "target/error_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>

namespace tailmark {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestValue = 200;

/// FNV-1a: short, and the same on every machine.
std::string sumOf(std::string_view text)
{
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (const char c : text)
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
    return digits;
}

/// A told value as one line of text; empty for what tells nothing.
std::string valueText(Json value)
{
    if (value.is_null() || (value.is_structured() && value.empty()))
        return {};
    hideSecrets(value);
    const std::string text = value.is_string() ? value.get<std::string>()
                                               : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() <= kLongestValue)
        return plainLine(text);
    return plainLine(text, kLongestValue) + " [" + std::to_string(text.size()) + " bytes, sum " +
           sumOf(text) + "]";
}

/// "/server_info /tp_size"
std::string placeOf(const FactSource& source)
{
    const std::string document = source.document == "model" ? "/v1/models" : source.document;
    return document.substr(0, document.find_first_of("?|")) + ' ' + source.pointer;
}

/// GGUF files are named after their quantization: "…-Q4_K_M.gguf".
std::string quantizationInFileName(std::string_view path)
{
    if (!path.ends_with(".gguf"))
        return {};
    path.remove_suffix(5);
    const std::string_view last = path.substr(path.find_last_of("-./") + 1);
    std::string upper(last);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    const bool known =
        upper == "F16" || upper == "F32" || upper == "BF16" || upper.starts_with("MXFP") ||
        (upper.starts_with("Q") && upper.size() > 1 && std::isdigit(static_cast<unsigned char>(upper[1]))) ||
        (upper.starts_with("IQ") && upper.size() > 2 && std::isdigit(static_cast<unsigned char>(upper[2])));
    return known ? upper : std::string();
}

void readFlag(RunCard& card, const std::string& name, const Json& value, const std::string& place)
{
    if (!value.is_null())
        card.read("flags." + name, namesSecret(name) ? "•••" : valueText(value), place);
}

bool isRead(const RunCard& card, const std::string& key)
{
    return card.entry(key).origin == CardOrigin::Read;
}

} // namespace

int readCard(RunCard& card, const EngineProfile& profile, InfoDocuments& documents)
{
    int contextTokens = 0;
    std::string contextFrom, parallelism, degreesFrom;
    for (const FactSource& source : profile.facts.sources) {
        const std::string& fact = source.fact;
        if (isRead(card, fact) || (fact == "context" && contextTokens > 0))
            continue; // told already: no document is asked for that is not needed
        const Json& told = documents.at(source.document, source.pointer);
        const std::string place = placeOf(source);
        if (fact == "flags.*") {
            if (told.is_object())
                for (const auto& [name, value] : told.items())
                    readFlag(card, name, value, place + '/' + name);
        } else if (fact == "default_flags.*") {
            if (told.is_object())
                for (const auto& [name, value] : told.items())
                    if (isRead(card, "flags." + name))
                        card.setStandard("flags." + name, valueText(value));
        } else if (fact.starts_with("flags.")) {
            readFlag(card, fact.substr(6), told, place);
        } else if (fact == "context") {
            if (contextTokens == 0 && told.is_number_integer())
                contextTokens =
                    static_cast<int>(std::clamp<std::int64_t>(told.get<std::int64_t>(), 0, INT32_MAX));
        } else if (fact.starts_with("parallelism:")) {
            if (const std::string value = valueText(told); !value.empty()) {
                parallelism += (parallelism.empty() ? "" : " ") + fact.substr(12) + "=" + value;
                degreesFrom = place.substr(0, place.find(' '));
            }
        } else {
            card.read(fact, valueText(told), place);
        }
    }
    card.read("parallelism", parallelism, degreesFrom);
    // under the engine's own name for it where it has one: one fact, one entry
    const std::string context = std::to_string(contextTokens);
    const bool named = std::ranges::any_of(card.entries(), [&](const auto& item) {
        return item.first.starts_with("flags.") && item.second.value == context;
    });
    if (contextTokens > 0 && !named)
        card.read("flags.context", context, contextFrom);
    if (!isRead(card, "quantization"))
        card.read("quantization", quantizationInFileName(card.entry("model").value),
                  "name of the model file");
    for (const auto& [flag, standard] : profile.facts.defaults)
        if (isRead(card, "flags." + flag))
            card.setStandard("flags." + flag, standard);
    return contextTokens;
}

} // namespace tailmark
