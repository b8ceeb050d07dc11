// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/fields.h"
#include "workload/trace/trace_formats.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// A JSON value as a field value; text points into it. An array or object is Other.
FieldValue fieldValueOf(const nlohmann::json& value);
/// Null where there is nothing at the path.
const nlohmann::json* atPath(const nlohmann::json& object, const std::vector<std::string>& path);

/// Adds the leaves of an object, named by their paths, with their values as sample number `row`; lists of ids
/// as text. Texts are kept in `storage`.
void addNames(const nlohmann::json& object, std::size_t row, std::vector<SourceName>& names,
              std::deque<std::string>& storage);
/// Likewise of a CSV cell that holds an object.
void addNestedNames(std::string_view cell, std::size_t column, std::size_t row,
                    std::vector<SourceName>& names, std::deque<std::string>& storage);
/// The value at a path inside of such a cell; its text is kept in `storage`.
FieldValue nestedValue(std::string_view cell, const std::vector<std::string>& path,
                       std::deque<std::string>& storage);

} // namespace tailmark
