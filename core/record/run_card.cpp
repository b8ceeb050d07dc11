// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_card.h"

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

const char* originId(CardOrigin origin)
{
    switch (origin) {
    case CardOrigin::Typed:
        return "typed";
    case CardOrigin::Read:
        return "read";
    case CardOrigin::Sent:
        return "sent";
    case CardOrigin::Unknown:
        break;
    }
    return "unknown";
}

} // namespace

const std::vector<std::string>& RunCard::fixedKeys()
{
    static const std::vector<std::string> keys = {"engine",         "engine_version", "model",
                                                  "model_revision", "quantization",   "tokenizer",
                                                  "chat_template",  "accelerator",    "accelerator_count",
                                                  "parallelism",    "notes"};
    return keys;
}

RunCard::RunCard()
{
    for (const std::string& key : fixedKeys())
        m_entries[key];
}

CardEntry RunCard::entry(const std::string& key) const
{
    const auto it = m_entries.find(key);
    return it == m_entries.end() ? CardEntry{} : it->second;
}

void RunCard::type(const std::string& key, const std::string& value)
{
    if (!value.empty() && entry(key).origin != CardOrigin::Read)
        m_entries[key] = {value, CardOrigin::Typed};
}

void RunCard::read(const std::string& key, const std::string& value, const std::string& source)
{
    if (!value.empty())
        m_entries[key] = {value, CardOrigin::Read, source};
}

void RunCard::setSent(const std::map<std::string, std::string>& entries)
{
    std::erase_if(m_entries, [](const auto& entry) { return entry.second.origin == CardOrigin::Sent; });
    for (const auto& [key, value] : entries)
        m_entries[key] = {value, CardOrigin::Sent};
}

void RunCard::setStandard(const std::string& key, const std::string& standard)
{
    const auto it = m_entries.find(key);
    if (it != m_entries.end() && it->second.origin != CardOrigin::Unknown && it->second.value != standard)
        it->second.standard = standard;
}

nlohmann::json cardToJson(const RunCard& card)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, entry] : card.entries()) {
        json[key] = {{"value", entry.value}, {"origin", originId(entry.origin)}};
        if (!entry.source.empty())
            json[key]["source"] = entry.source;
        if (!entry.standard.empty())
            json[key]["default"] = entry.standard;
    }
    return json;
}

RunCard cardFromJson(const nlohmann::json& json)
{
    RunCard card;
    if (!json.is_object())
        return card;
    std::map<std::string, std::string> sent;
    for (const auto& [key, entry] : json.items()) {
        if (!entry.is_object() || !entry.contains("value") || !entry["value"].is_string() ||
            !entry.contains("origin"))
            continue;
        const std::string value = entry["value"];
        const auto text = [&entry = entry](const char* member) {
            const auto it = entry.find(member);
            return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
        };
        const nlohmann::json& origin = entry["origin"];
        if (origin == "read")
            card.read(key, value, text("source"));
        else if (origin == "typed")
            card.type(key, value);
        else if (origin == "sent")
            sent[key] = value;
        if (const std::string standard = text("default"); !standard.empty())
            card.setStandard(key, standard);
    }
    card.setSent(sent);
    return card;
}

} // namespace tailmark
