// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/json_value.h"
#include "record/run_card.h"

#include <optional>

namespace tailmark::keys {

inline std::string joined(const std::string& path, std::string_view key)
{
    return path.empty() ? std::string(key) : path + '.' + std::string(key);
}

inline std::string indexed(const std::string& path, std::size_t index)
{
    return path + '[' + std::to_string(index) + ']';
}

/// The card's keys in the contract's order: its texts; accelerator_count is a number and `flags` come before
/// `notes`.
inline constexpr std::string_view kAcceleratorCount = "accelerator_count";
inline constexpr Rule kAcceleratorCountRule = atLeast(0, 1'000'000);

/// Fills a struct from JSON; stops at the first thing that is wrong.
class Reader
{
public:
    Reader(const nlohmann::json& object, std::string source, std::string path = {})
        : m_object(object), m_source(std::move(source)), m_path(std::move(path))
    {
    }

    template <typename T> void value(std::string_view key, T& member, const Rule& rule)
    {
        const nlohmann::json* json = find(key, rule.required ? allowedWords<T>(rule) : std::string());
        if (json)
            read(*json, joined(m_path, key), member, rule);
    }

    template <typename T, typename F> void object(std::string_view key, T& member, F describe)
    {
        const nlohmann::json* json = find(key);
        if (!json)
            return;
        if (!json->is_object())
            return mismatch(joined(m_path, key), "an object", *json);
        nested(*json, joined(m_path, key), [&](Reader& reader) { describe(reader, member); });
    }

    template <typename T, typename F> void object(std::string_view key, std::optional<T>& member, F describe)
    {
        if (m_object.contains(key))
            object(key, member.emplace(), describe);
        else
            find(key);
    }

    template <typename T, typename F> void list(std::string_view key, std::vector<T>& members, F describe)
    {
        const nlohmann::json* json = find(key);
        if (!json)
            return;
        const std::string path = joined(m_path, key);
        if (!json->is_array())
            return mismatch(path, "a list of objects", *json);
        members.clear();
        for (std::size_t i = 0; i < json->size() && !m_error; ++i) {
            const nlohmann::json& item = (*json)[i];
            if (!item.is_object())
                return mismatch(indexed(path, i), "an object", item);
            T member;
            nested(item, indexed(path, i), [&](Reader& reader) { describe(reader, member); });
            members.push_back(std::move(member));
        }
    }

    template <typename T> void constant(std::string_view key, T only)
    {
        const nlohmann::json* json = find(key);
        if (json && *json != nlohmann::json(only))
            fail(joined(m_path, key),
                 shown(*json) + " is not available in this version; allowed: " + shown(nlohmann::json(only)));
    }

    void card(std::string_view key, CardInput& card);

    /// Keys that were not asked for are somebody else's, not unknown.
    void allowOthers();
    /// After the last key: everything that was not asked for is unknown.
    std::optional<Error> finish();

private:
    const nlohmann::json* find(std::string_view key, const std::string& requiredWords = {});
    void fail(const std::string& path, std::string message);
    void mismatch(const std::string& path, const std::string& allowed, const nlohmann::json& is);

    template <typename F> void nested(const nlohmann::json& json, const std::string& path, F body)
    {
        Reader reader(json, m_source, path);
        body(reader);
        if (std::optional<Error> error = reader.finish(); error && !m_error)
            m_error = std::move(error);
    }

    template <typename T>
    void read(const nlohmann::json& json, const std::string& path, T& member, const Rule& rule)
    {
        if constexpr (std::is_same_v<T, Texts>) {
            readTexts(json, path, member);
        } else if constexpr (std::is_same_v<T, LengthQuantiles>) {
            readQuantiles(json, path, member);
        } else if constexpr (requires { member.push_back(typename T::value_type()); } &&
                             !std::is_same_v<T, std::string> && !std::is_same_v<T, nlohmann::json>) {
            if (!json.is_array())
                return mismatch(path, allowedWords<T>(rule), json);
            member.clear();
            for (std::size_t i = 0; i < json.size() && !m_error; ++i) {
                typename T::value_type item{};
                read(json[i], indexed(path, i), item, rule);
                member.push_back(item);
            }
        } else if (!take(json, member)) {
            if (rule.secret)
                return fail(path, "must be " + allowedWords<T>(rule));
            mismatch(path, allowedWords<T>(rule), json);
        }
    }
    void readTexts(const nlohmann::json& json, const std::string& path, Texts& texts);
    void readQuantiles(const nlohmann::json& json, const std::string& path, LengthQuantiles& quantiles);

    const nlohmann::json& m_object;
    std::string m_source;
    std::string m_path;
    std::vector<std::string_view> m_keys;
    std::optional<Error> m_error;
};

/// Writes a struct as JSON, every key in the order of its description.
class Writer
{
public:
    template <typename T> void value(std::string_view key, const T& member, const Rule&)
    {
        m_json[std::string(key)] = given(member);
    }
    template <typename T, typename F> void object(std::string_view key, const T& member, F describe)
    {
        Writer writer;
        describe(writer, member);
        m_json[std::string(key)] = std::move(writer.m_json);
    }
    template <typename T, typename F>
    void object(std::string_view key, const std::optional<T>& member, F describe)
    {
        if (member)
            object(key, *member, describe);
    }
    template <typename T, typename F>
    void list(std::string_view key, const std::vector<T>& members, F describe)
    {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const T& member : members) {
            Writer writer;
            describe(writer, member);
            list.push_back(std::move(writer.m_json));
        }
        m_json[std::string(key)] = std::move(list);
    }
    template <typename T> void constant(std::string_view key, T only) { m_json[std::string(key)] = only; }
    void card(std::string_view key, const CardInput& card);

    nlohmann::ordered_json take() { return std::move(m_json); }

private:
    nlohmann::ordered_json m_json = nlohmann::ordered_json::object();
};

} // namespace tailmark::keys
