// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/fields.h"

#include "workload/trace/timestamp.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

constexpr std::int64_t kMaxCount = 100'000'000;

constexpr std::array<std::string_view, kFieldCount> kFieldIds = {
    "timestamp", "prompt",     "output", "total",  "cached",      "session",     "agent", "parent",
    "turn",      "think_time", "model",  "blocks", "prompt_text", "output_text", "kind"};

constexpr std::string_view kUnitIds[] = {"date", "s", "ms", "us", "ns"};

const char* checked(std::int64_t value, std::int64_t least, std::int32_t& count)
{
    if (value < 0)
        return "negative";
    if (value < least)
        return "zero";
    if (value > kMaxCount)
        return "out_of_range";
    count = static_cast<std::int32_t>(value);
    return nullptr;
}

/// Digits with an optional fraction, exactly; anything else by way of a double.
const char* decimalTime(std::string_view text, std::int64_t unit, Nanoseconds& time)
{
    constexpr const char* kBad = "bad_timestamp";
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool minus = at != end && *at == '-';
    std::int64_t whole = 0;
    const auto [next, error] = std::from_chars(at + minus, end, whole);
    if (error == std::errc::result_out_of_range)
        return "out_of_range";
    if (error != std::errc() || (minus && at[1] == '-'))
        return kBad;
    at = next;
    if (whole > INT64_MAX / unit - 1)
        return "out_of_range";
    std::int64_t ns = whole * unit;
    if (at != end && (*at == '.' || *at == ',')) {
        const char* const begin = ++at;
        std::int64_t step = unit;
        for (; at != end && *at >= '0' && *at <= '9'; ++at) {
            step /= 10;
            ns += step * (*at - '0');
        }
        if (at == begin)
            return kBad;
    }
    if (at == end) {
        time = Nanoseconds(minus ? -ns : ns);
        return nullptr;
    }
    double value = 0; // an exponent
    const auto [last, bad] = std::from_chars(text.data(), end, value);
    if (last != end || (bad != std::errc() && bad != std::errc::result_out_of_range))
        return kBad;
    if (bad != std::errc() || !(std::abs(value) * static_cast<double>(unit) < 9e18))
        return "out_of_range";
    time = Nanoseconds(std::llround(value * static_cast<double>(unit)));
    return nullptr;
}

/// parseTime() before the range is looked at.
const char* anyTime(const FieldValue& value, TimeUnit unit, Nanoseconds& time)
{
    if (unit == TimeUnit::DateTime) {
        const std::optional<Nanoseconds> date =
            value.type == FieldValue::Type::Text ? parseTimestamp(value.text) : std::nullopt;
        time = date.value_or(kAbsentTime);
        return date ? nullptr : "bad_timestamp";
    }
    const std::int64_t ns = nanosecondsIn(unit);
    switch (value.type) {
    case FieldValue::Type::Text:
        return decimalTime(value.text, ns, time);
    case FieldValue::Type::Whole:
        if (value.whole > INT64_MAX / ns || value.whole < -(INT64_MAX / ns))
            return "out_of_range";
        time = Nanoseconds(value.whole * ns);
        return nullptr;
    case FieldValue::Type::Real: {
        if (!(std::abs(value.real) * static_cast<double>(ns) < 9e18))
            return "out_of_range";
        // The fraction apart: seconds since 1970 have no bits left for ns in a double.
        const double whole = std::floor(value.real);
        time = Nanoseconds(static_cast<std::int64_t>(whole) * ns +
                           std::llround((value.real - whole) * static_cast<double>(ns)));
        return nullptr;
    }
    default:
        return "bad_timestamp";
    }
}

/// "1.000" or "1,000": a decimal fraction, or the groups of a thousand.
bool mayBeGroups(std::int64_t before, std::string_view rest)
{
    return rest.size() == 4 && (rest[0] == '.' || rest[0] == ',') && before != 0 && before > -1'000 && before < 1'000 &&
           std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string_view fieldId(Field field)
{
    return kFieldIds[static_cast<std::size_t>(field)];
}

std::optional<Field> fieldFromId(std::string_view id)
{
    for (std::size_t i = 0; i < kFieldCount; ++i)
        if (kFieldIds[i] == id)
            return static_cast<Field>(i);
    return std::nullopt;
}

std::optional<TimeUnit> timeUnitFromId(std::string_view id)
{
    for (std::size_t i = 1; i < std::size(kUnitIds); ++i)
        if (kUnitIds[i] == id)
            return static_cast<TimeUnit>(i);
    return std::nullopt;
}

std::string_view timeUnitId(TimeUnit unit)
{
    return kUnitIds[static_cast<std::size_t>(unit)];
}

std::int64_t nanosecondsIn(TimeUnit unit)
{
    switch (unit) {
    case TimeUnit::Milliseconds:
        return 1'000'000;
    case TimeUnit::Microseconds:
        return 1'000;
    case TimeUnit::Nanoseconds:
        return 1;
    default:
        return 1'000'000'000;
    }
}

const char* parseCount(const FieldValue& value, std::int64_t least, bool decimalComma, std::int32_t& count)
{
    switch (value.type) {
    case FieldValue::Type::Missing:
        return "missing_column";
    case FieldValue::Type::Null:
        return "empty_value";
    case FieldValue::Type::Whole:
        return checked(value.whole, least, count);
    case FieldValue::Type::Real:
        if (std::isnan(value.real) || std::floor(value.real) != value.real)
            return "not_an_integer";
        return std::abs(value.real) > 1e15 ? "out_of_range"
                                           : checked(static_cast<std::int64_t>(value.real), least, count);
    case FieldValue::Type::NoJson:
        return "invalid_json";
    case FieldValue::Type::Other:
        return "not_an_integer";
    case FieldValue::Type::Text:
        break;
    }
    const std::string_view text = value.text;
    if (text.empty())
        return "empty_value";
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range)
        return "out_of_range";
    if (error != std::errc())
        return "not_an_integer";
    std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (decimalComma && mayBeGroups(number, rest))
        return "ambiguous_number";
    if (!rest.empty()) {
        if (rest[0] != '.' && !(rest[0] == ',' && decimalComma))
            return "not_an_integer";
        rest.remove_prefix(1);
        if (rest.empty() || rest.find_first_not_of('0') != std::string_view::npos)
            return "not_an_integer";
    }
    return checked(number, least, count);
}

const char* parseTime(const FieldValue& value, TimeUnit unit, Nanoseconds& time)
{
    if (const char* reason = anyTime(value, unit, time))
        return reason;
    return time < kEarliestTime || time >= kLatestTime ? "out_of_range" : nullptr;
}

void appendId(std::vector<IdRun>& runs, std::uint64_t id)
{
    if (!runs.empty() && runs.back().first + runs.back().count == id)
        ++runs.back().count;
    else
        runs.push_back({id, 1});
}

bool parseIdRuns(std::string_view text, std::vector<IdRun>& runs)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        if (*at == ' ' || *at == ',' || *at == '[' || *at == ']' || *at == ';') {
            ++at;
            continue;
        }
        std::uint64_t first = 0;
        const auto [next, error] = std::from_chars(at, end, first);
        if (error != std::errc())
            return false;
        std::uint64_t last = first;
        at = next;
        if (at != end && *at == '-') {
            const auto [after, bad] = std::from_chars(at + 1, end, last);
            if (bad != std::errc() || last < first || last - first > 10'000'000)
                return false;
            at = after;
        }
        if (!runs.empty() && runs.back().first + runs.back().count == first)
            runs.back().count += last - first + 1;
        else
            runs.push_back({first, last - first + 1});
    }
    return true;
}

std::int32_t codePoints(std::string_view utf8)
{
    return static_cast<std::int32_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace tailmark
