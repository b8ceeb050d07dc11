// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/byte_source.h"

#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// How records stand in a JSON file.
enum class JsonShape {
    Lines,  ///< one value a line
    Array,  ///< the items of an array, and whatever follows it
    Values, ///< values over several lines, one after another
};
/// By the first bytes; what a file is named says nothing.
JsonShape jsonShapeOf(std::string_view text);

/// Takes a file apart into its records without reading it whole.
class JsonRecords
{
public:
    JsonRecords(ByteSource& source, JsonShape shape);

    /// The text of the next record; valid until the one after it is asked for. It may not be valid JSON.
    bool next(std::string_view& record);
    /// Where the file begins with an array the number of the record, else the physical line that the record starts at; from 1.
    std::int64_t line() const { return m_line; }
    bool tooLong() const { return m_tooLong; }

private:
    bool nextLine(std::string_view& record);
    bool nextValue(std::string_view& record);
    bool skipBlanks();
    bool endOfValue(std::size_t& end);

    ByteSource& m_source;
    JsonShape m_shape;
    std::size_t m_consumed = 0;
    std::int64_t m_line = 0, m_lines = 1, m_items = 0;
    bool m_tooLong = false, m_begun = false;
    bool m_inArray = false;
};

} // namespace tailmark
