// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/json_values.h"

#include "base/bounded_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr std::size_t kMaxDepth = 5;
constexpr std::size_t kMaxNames = 500;

SourceName& nameAt(std::vector<SourceName>& names, const std::string& joined, std::size_t column,
                   const std::vector<std::string>& path)
{
    const auto known =
        std::find_if(names.begin(), names.end(), [&](const SourceName& n) { return n.name == joined; });
    if (known != names.end())
        return *known;
    return names.emplace_back(SourceName{joined, column, path, {}});
}

class Leaves
{
public:
    Leaves(std::size_t column, std::size_t row, std::vector<SourceName>& names,
           std::deque<std::string>& storage)
        : m_column(column), m_row(row), m_names(names), m_storage(storage)
    {
    }
    void add(const nlohmann::json& value, const std::string& joined, std::vector<std::string>& path)
    {
        if (value.is_object()) {
            if (path.size() >= kMaxDepth)
                return;
            for (const auto& [key, member] : value.items()) {
                path.push_back(key);
                add(member, joined.empty() ? key : joined + "." + key, path);
                path.pop_back();
            }
            return;
        }
        if (m_names.size() >= kMaxNames)
            return;
        FieldValue sample = fieldValueOf(value);
        if (sample.type == FieldValue::Type::Text)
            sample.text = m_storage.emplace_back(sample.text.substr(0, 200));
        else if (value.is_array() && !value.empty() && value.front().is_number_integer())
            sample = FieldValue::of(m_storage.emplace_back(value.dump()));
        SourceName& name = nameAt(m_names, joined, m_column, path);
        name.samples.resize(m_row);
        name.samples.push_back(sample);
    }

private:
    std::size_t m_column, m_row;
    std::vector<SourceName>& m_names;
    std::deque<std::string>& m_storage;
};

} // namespace

FieldValue fieldValueOf(const nlohmann::json& value)
{
    FieldValue field;
    switch (value.type()) {
    case nlohmann::json::value_t::null:
        field.type = FieldValue::Type::Null;
        break;
    case nlohmann::json::value_t::string:
        field = FieldValue::of(value.get_ref<const std::string&>());
        break;
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
        field.type = FieldValue::Type::Whole;
        field.whole = value.get<std::int64_t>();
        break;
    case nlohmann::json::value_t::number_float:
        field.type = FieldValue::Type::Real;
        field.real = value.get<double>();
        break;
    default:
        field.type = FieldValue::Type::Other;
    }
    return field;
}

const nlohmann::json* atPath(const nlohmann::json& object, const std::vector<std::string>& path)
{
    const nlohmann::json* at = &object;
    for (const std::string& key : path) {
        if (!at->is_object())
            return nullptr;
        const auto member = at->find(key);
        if (member == at->end())
            return nullptr;
        at = &*member;
    }
    return at;
}

void addNames(const nlohmann::json& object, std::size_t row, std::vector<SourceName>& names,
              std::deque<std::string>& storage)
{
    std::vector<std::string> path;
    Leaves(0, row, names, storage).add(object, "", path);
}

void addNestedNames(std::string_view cell, std::size_t column, std::size_t row,
                    std::vector<SourceName>& names, std::deque<std::string>& storage)
{
    const nlohmann::json object = boundedJson(cell);
    if (!object.is_object())
        return;
    for (const SourceName& name : names) {
        if (name.column != column || !name.path.empty())
            continue;
        std::vector<std::string> path;
        const std::string joined = name.name; // the list grows
        Leaves(column, row, names, storage).add(object, joined, path);
        return;
    }
}

FieldValue nestedValue(std::string_view cell, const std::vector<std::string>& path,
                       std::deque<std::string>& storage)
{
    if (cell.empty())
        return {FieldValue::Type::Null, {}, 0, 0};
    const nlohmann::json object = boundedJson(cell);
    if (object.is_discarded())
        return {FieldValue::Type::NoJson, {}, 0, 0};
    const nlohmann::json* found = atPath(object, path);
    if (!found)
        return {FieldValue::Type::Null, {}, 0, 0};
    FieldValue value = fieldValueOf(*found);
    if (value.type == FieldValue::Type::Text)
        value.text = storage.emplace_back(value.text);
    return value;
}

} // namespace tailmark
