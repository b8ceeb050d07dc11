// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/json_visitors.h"

#include <algorithm>
#include <charconv>

namespace tailmark::keys {

namespace {

/// A key path holds keys as the file has them, and a key can hold any character: a message stays on one line.
std::string onOneLine(const std::string& path)
{
    const std::string quoted = nlohmann::json(path).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
}

} // namespace

const nlohmann::json* Reader::find(std::string_view key, const std::string& requiredWords)
{
    m_keys.push_back(key);
    if (m_error)
        return nullptr;
    const auto it = m_object.find(key);
    if (it != m_object.end())
        return &*it;
    if (!requiredWords.empty())
        fail(joined(m_path, key), "is missing; must be " + requiredWords);
    return nullptr;
}

void Reader::fail(const std::string& path, std::string message)
{
    if (m_error)
        return;
    std::string where = m_source;
    if (!path.empty())
        where += (where.empty() ? "" : ": ") + onOneLine(path);
    m_error = Error{ErrorCode::BadInput, std::move(where), std::move(message)};
}

void Reader::mismatch(const std::string& path, const std::string& allowed, const nlohmann::json& is)
{
    fail(path, "must be " + allowed + ", is " + shown(is));
}

void Reader::readTexts(const nlohmann::json& json, const std::string& path, Texts& texts)
{
    if (!json.is_object())
        return fail(path, "must be an object of texts"); // headers may hold secrets: not repeated
    texts.clear();
    for (const auto& [key, item] : json.items()) {
        if (!item.is_string())
            return fail(joined(path, key), "must be text");
        texts[key] = item.get<std::string>();
    }
}

void Reader::readQuantiles(const nlohmann::json& json, const std::string& path, LengthQuantiles& quantiles)
{
    if (!json.is_object())
        return mismatch(path, quantilesWords(), json);
    quantiles.clear();
    for (const auto& [key, item] : json.items())
        if (!take(item, quantiles[key]))
            return mismatch(joined(path, key), "a whole number of tokens", item);
}

void Reader::card(std::string_view key, CardInput& card)
{
    const auto readFlags = [](Reader& reader, CardInput& input) {
        const nlohmann::json* flags = reader.find("flags");
        if (!flags)
            return;
        const std::string path = joined(reader.m_path, "flags");
        if (!flags->is_object())
            return reader.mismatch(path, "an object", *flags);
        input.flags.clear();
        for (const auto& [name, item] : flags->items()) {
            if (!item.is_primitive() || item.is_null())
                return reader.mismatch(joined(path, name), "text, a number, true or false", item);
            input.flags[name] = item.is_string() ? item.get<std::string>() : item.dump();
        }
    };
    object(key, card, [&](Reader& reader, CardInput& input) {
        for (const std::string& entry : RunCard::fixedKeys()) {
            if (entry == "notes")
                readFlags(reader, input);
            std::string text;
            if (entry == kAcceleratorCount) {
                int count = 0; // not stated
                reader.value(entry, count, kAcceleratorCountRule);
                text = count == 0 ? "" : std::to_string(count);
            } else {
                reader.value(entry, text, kAny);
            }
            if (!text.empty())
                input.entries[entry] = text;
        }
    });
}

void Reader::allowOthers()
{
    for (const auto& [key, item] : m_object.items())
        m_keys.push_back(key);
}

std::optional<Error> Reader::finish()
{
    if (m_error)
        return m_error;
    for (const auto& [key, item] : m_object.items()) {
        if (std::find(m_keys.begin(), m_keys.end(), key) != m_keys.end())
            continue;
        const std::string nearest = nearestWord(key, m_keys.data(), m_keys.data() + m_keys.size());
        std::string message = "is not a key here; ";
        message += nearest.empty() ? "allowed: " + choiceText(m_keys.data(), m_keys.data() + m_keys.size())
                                   : "did you mean \"" + nearest + "\"?";
        fail(joined(m_path, key), message);
        break;
    }
    return m_error;
}

void Writer::card(std::string_view key, const CardInput& card)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const std::string& entry : RunCard::fixedKeys()) {
        if (entry == "notes")
            json["flags"] = given(card.flags);
        const auto it = card.entries.find(entry);
        const std::string text = it == card.entries.end() ? std::string() : it->second;
        if (entry == kAcceleratorCount) {
            int count = 0;
            std::from_chars(text.data(), text.data() + text.size(), count);
            json[entry] = count;
        } else {
            json[entry] = text;
        }
    }
    m_json[std::string(key)] = std::move(json);
}

} // namespace tailmark::keys
