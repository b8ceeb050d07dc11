// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/length_quantiles.h"
#include "plan/matrix_keys.h"

#include <cmath>
#include <concepts>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark::keys {

// Between JSON values and members: one rule for each type of member.

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <typename T>
concept ChoiceMember = std::is_enum_v<T>;
using Texts = std::map<std::string, std::string>;
/// Objects whose keys are the user's.
template <typename T>
concept UserObject = std::is_same_v<T, Texts> || std::is_same_v<T, LengthQuantiles>;

/// What the type allows under the rule, in words.
template <typename T> std::string allowedWords(const Rule& rule)
{
    if constexpr (std::is_same_v<T, bool>) {
        return "true or false";
    } else if constexpr (Number<T>) {
        return numberInWords(rule, std::integral<T>);
    } else if constexpr (ChoiceMember<T>) {
        return choiceText(Choice<T>::ids.data(), Choice<T>::ids.data() + Choice<T>::ids.size());
    } else if constexpr (std::is_same_v<T, std::string>) {
        return rule.allowedText ? rule.allowedText() : "text";
    } else if constexpr (std::is_same_v<T, Texts>) {
        return "an object of texts";
    } else if constexpr (std::is_same_v<T, LengthQuantiles>) {
        return quantilesWords();
    } else if constexpr (std::is_same_v<T, nlohmann::json>) {
        return "an object";
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        return "a list of texts";
    } else {
        return "a list of numbers, each " + allowedWords<typename T::value_type>(rule) +
               (rule.ascending ? ", in rising order" : "");
    }
}

/// A value as it is repeated in a message: short, on one line.
inline std::string shown(const nlohmann::json& value)
{
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > 60)
        text = text.substr(0, 57) + "...";
    return text;
}

inline bool take(const nlohmann::json& json, bool& member)
{
    if (!json.is_boolean())
        return false;
    member = json.get<bool>();
    return true;
}

template <Number T> bool take(const nlohmann::json& json, T& member)
{
    if (!json.is_number())
        return false;
    if constexpr (std::floating_point<T>) {
        member = json.get<T>();
        return std::isfinite(member);
    } else if (json.is_number_float()) { // 30.0 is the whole number 30
        const double value = json.get<double>();
        if (value != std::floor(value) || std::abs(value) > 9e15 ||
            !std::in_range<T>(static_cast<std::int64_t>(value)))
            return false;
        member = static_cast<T>(value);
        return true;
    } else if (json.is_number_unsigned()) {
        const auto value = json.get<std::uint64_t>();
        member = static_cast<T>(value);
        return std::in_range<T>(value);
    } else {
        const auto value = json.get<std::int64_t>();
        member = static_cast<T>(value);
        return std::in_range<T>(value);
    }
}

template <ChoiceMember T> bool take(const nlohmann::json& json, T& member)
{
    if (!json.is_string() && !json.is_number())
        return false;
    const std::string id = json.is_string() ? json.get<std::string>() : json.dump(); // 1.1 is "1.1"
    for (std::size_t i = 0; i < Choice<T>::ids.size(); ++i) {
        if (Choice<T>::ids[i] == id) {
            member = static_cast<T>(i);
            return true;
        }
    }
    return false;
}

inline bool take(const nlohmann::json& json, std::string& member)
{
    if (!json.is_string())
        return false;
    member = json.get<std::string>();
    return true;
}

inline bool take(const nlohmann::json& json, nlohmann::json& member)
{
    if (!json.is_object())
        return false;
    member = json;
    return true;
}

template <typename T> nlohmann::ordered_json given(const T& member)
{
    if constexpr (ChoiceMember<T>) {
        return idOf(member);
    } else if constexpr (std::floating_point<T>) {
        if (member == std::floor(member) && std::abs(member) < 1e15)
            return static_cast<std::int64_t>(member); // 30, not 30.0
        return member;
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const double value : member)
            list.push_back(given(value));
        return list;
    } else if constexpr (UserObject<T>) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (const auto& [key, value] : member)
            object[key] = value;
        return object;
    } else {
        return nlohmann::ordered_json(member);
    }
}

} // namespace tailmark::keys
