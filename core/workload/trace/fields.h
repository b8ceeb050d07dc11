// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "workload/trace/trace_rows.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// What a record of a log can tell of a request.
enum class Field {
    Timestamp,
    Prompt,  ///< tokens
    Output,  ///< tokens
    Total,   ///< tokens, only to check the parts
    Cached,  ///< tokens
    Session, ///< of a conversation
    Agent,   ///< a conversation of its own inside a session
    Parent,  ///< the request that this one follows, by the name in Session
    Turn,
    ThinkTime,
    Model,
    Blocks,     ///< ids of the prompt's blocks
    PromptText, ///< counted in code points where there is no Prompt
    OutputText,
    Kind, ///< of the record, where a log holds other things than requests as well
};
inline constexpr std::size_t kFieldCount = 15;
/// "timestamp", "prompt", "output", "think_time", …: as in `--column FIELD=NAME` and in refused rows.
std::string_view fieldId(Field field);
std::optional<Field> fieldFromId(std::string_view id);

/// How a number stands for a time.
enum class TimeUnit { DateTime, Seconds, Milliseconds, Microseconds, Nanoseconds };
std::optional<TimeUnit> timeUnitFromId(std::string_view id); ///< "s", "ms", "us", "ns"
std::string_view timeUnitId(TimeUnit unit);
std::int64_t nanosecondsIn(TimeUnit unit);

/// One value of a record as the file has it; text points into the record.
struct FieldValue
{
    enum class Type {
        Missing,
        Null,
        Text,
        Whole,
        Real,
        NoJson, ///< a cell that should hold JSON and does not
        Other
    };
    Type type = Type::Missing;
    std::string_view text;
    std::int64_t whole = 0;
    double real = 0;

    static FieldValue of(std::string_view text) { return {Type::Text, text, 0, 0}; }
};
using FieldValues = std::array<FieldValue, kFieldCount>;

/// Ids of blocks as a file names them, consecutive ones together.
struct IdRun
{
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

// Reading single values. A reason why it cannot be used is a short code, null where it can.

/// A whole number from `least` to 100,000,000; 512.0 is 512. not_an_integer, negative, zero, out_of_range,
/// empty_value, missing_column, invalid_json. `decimalComma`: "512,0" is 512 as well; "1.000" and "1,000", which
/// may be one or a thousand, are ambiguous_number.
const char* parseCount(const FieldValue& value, std::int64_t least, bool decimalComma, std::int32_t& count);
/// Decimals are read exactly to the ns. bad_timestamp for what is no time in this unit; out_of_range before
/// kEarliestTime and from kLatestTime on.
const char* parseTime(const FieldValue& value, TimeUnit unit, Nanoseconds& time);
/// Times are since 1970, as dates are read, or since an origin of the log's own, and may be a little before it. The
/// difference of any two fits into 64 bits.
inline constexpr Nanoseconds kEarliestTime{-1'000'000'000'000'000'000};
inline constexpr Nanoseconds kLatestTime =
    std::chrono::sys_days(std::chrono::year(2201) / 1 / 1).time_since_epoch();
static_assert(kLatestTime.count() < INT64_MAX + kEarliestTime.count());
/// "46-58 60", "46,47" or "[46, 47]". False for anything else.
bool parseIdRuns(std::string_view text, std::vector<IdRun>& runs);
void appendId(std::vector<IdRun>& runs, std::uint64_t id);
std::int32_t codePoints(std::string_view utf8);

} // namespace tailmark
