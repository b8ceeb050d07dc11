// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_formats.h"

#include "workload/trace/format_tables.h"
#include "workload/trace/timestamp.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

const SourceName* findFolded(std::span<const SourceName> names, std::string_view folded)
{
    for (const SourceName& name : names)
        if (foldedName(name.name) == folded)
            return &name;
    return nullptr;
}

/// As a whole, else behind a dot, the shallowest first.
const SourceName* findAlias(std::span<const SourceName> names, std::string_view alias)
{
    if (const SourceName* whole = findFolded(names, alias))
        return whole;
    const SourceName* best = nullptr;
    for (const SourceName& name : names) {
        const std::string folded = foldedName(name.name);
        if (folded.size() > alias.size() && folded.ends_with(alias) &&
            folded[folded.size() - alias.size() - 1] == '.' &&
            (!best || name.path.size() < best->path.size()))
            best = &name;
    }
    return best;
}

bool isNumber(const FieldValue& value)
{
    if (value.type == FieldValue::Type::Whole || value.type == FieldValue::Type::Real)
        return true;
    double number = 0;
    if (value.type != FieldValue::Type::Text || value.text.empty())
        return false;
    const auto [end, error] =
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    return error == std::errc() &&
           (end == value.text.data() + value.text.size() || *end == ',' /* a decimal comma */);
}

/// Most values that are there are numbers; a column without any is none of tokens.
bool holdsNumbers(const SourceName& name)
{
    std::size_t there = 0, numbers = 0;
    for (const FieldValue& value : name.samples) {
        if (value.type == FieldValue::Type::Missing || value.type == FieldValue::Type::Null ||
            (value.type == FieldValue::Type::Text && value.text.empty()))
            continue;
        ++there;
        numbers += isNumber(value);
    }
    return there == 0 || 2 * numbers > there;
}

/// A name of tokens that texts have as well: its values decide which it is.
bool isNameOfText(std::string_view alias)
{
    return std::ranges::any_of(textAliases(), [&](const FieldAliases& field) {
        return std::ranges::find(field.names, alias) != field.names.end();
    });
}

/// The unit that a name ends in: "_ms", "Ms", "_s", "_us", "_ns", "unix_nano".
std::optional<TimeUnit> unitOfName(std::string_view name)
{
    const std::string folded = foldedName(name);
    const auto ends = [&](std::string_view tail) {
        if (!folded.ends_with(tail) || name.size() <= tail.size())
            return false;
        // Written apart, or with a capital, so that "times" and "params" are no units.
        const char before = name[name.size() - tail.size() - 1];
        const char first = name[name.size() - tail.size()];
        return before == '_' || before == ' ' || before == '-' || before == '.' ||
               (first >= 'A' && first <= 'Z');
    };
    if (folded.ends_with("unixnano") || ends("ns"))
        return TimeUnit::Nanoseconds;
    if (ends("us"))
        return TimeUnit::Microseconds;
    if (ends("ms"))
        return TimeUnit::Milliseconds;
    if (ends("s") || ends("sec") || ends("seconds"))
        return TimeUnit::Seconds;
    return std::nullopt;
}

struct Unit
{
    TimeUnit unit;
    bool relative = false; ///< not since 1970: told by the gaps, and so guessed
    bool mixed = false;    ///< not all values are of the size that most have
};

/// By the size of values that count from 1970.
std::optional<TimeUnit> unitOfSize(double value)
{
    const double size = std::abs(value);
    if (size >= 1e17)
        return TimeUnit::Nanoseconds;
    if (size >= 1e14)
        return TimeUnit::Microseconds;
    if (size >= 1e11)
        return TimeUnit::Milliseconds;
    if (size >= 1e8)
        return TimeUnit::Seconds;
    return std::nullopt;
}

std::optional<double> finiteNumber(const FieldValue& value)
{
    double number = 0;
    if (value.type == FieldValue::Type::Whole)
        number = static_cast<double>(value.whole);
    else if (value.type == FieldValue::Type::Real)
        number = value.real;
    else if (!isNumber(value))
        return std::nullopt;
    else
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// By what most of the values are, so that a few wrong ones decide nothing: those that count from 1970 by their
/// size; smaller ones count from somewhere near, in s or ms.
Unit unitOfValues(const SourceName& name)
{
    std::vector<double> numbers;
    std::size_t fractions = 0;
    for (const FieldValue& value : name.samples) {
        const std::optional<double> number = finiteNumber(value);
        if (!number)
            continue;
        numbers.push_back(*number);
        fractions +=
            *number != std::floor(*number) ||
            (value.type == FieldValue::Type::Text && value.text.find(',') != std::string_view::npos);
    }
    if (numbers.empty())
        return {TimeUnit::DateTime};
    const bool fraction = 4 * fractions >= numbers.size();
    std::sort(numbers.begin(), numbers.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const std::optional<TimeUnit> most = unitOfSize(numbers[numbers.size() / 2]);
    const std::size_t all = numbers.size();
    std::erase_if(numbers, [&](double number) { return unitOfSize(number) != most; });
    const bool mixed = numbers.size() < all;
    if (most)
        return {*most, false, mixed};
    std::sort(numbers.begin(), numbers.end());
    const std::size_t cut = numbers.size() / 20, last = numbers.size() - 1 - cut; // outliers on either side
    const double gap = (numbers[last] - numbers[cut]) / static_cast<double>(std::max<std::size_t>(last - cut, 1));
    return {fraction || gap < 10 ? TimeUnit::Seconds : TimeUnit::Milliseconds, true, mixed};
}

/// As many of the values are dates as are numbers, or more; a column without either is none of dates.
bool mostlyDates(const SourceName& name)
{
    std::size_t dates = 0, numbers = 0;
    for (const FieldValue& value : name.samples) {
        numbers += isNumber(value);
        dates += value.type == FieldValue::Type::Text && parseTimestamp(value.text);
    }
    return dates > 0 && dates >= numbers;
}

/// What is ten years from the middle of the first records is none of their log: a wrong or missing clock, or another
/// unit.
void settleRange(Layout& layout, const SourceName& timestamp)
{
    constexpr Nanoseconds kMost = std::chrono::years(10);
    std::vector<Nanoseconds> times;
    for (const FieldValue& value : timestamp.samples)
        if (Nanoseconds time{}; !parseTime(value, layout.timestampUnit, time))
            times.push_back(time);
    if (times.empty())
        return;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    layout.earliest = *middle - kMost;
    layout.latest = *middle + kMost;
}

void settleUnits(Layout& layout, const TraceOptions& options, std::optional<TimeUnit> ofFormat)
{
    if (const SourceName* timestamp = layout.source(Field::Timestamp)) {
        const std::optional<TimeUnit> ofName = unitOfName(timestamp->name);
        if (!ofFormat && mostlyDates(*timestamp))
            layout.timestampUnit = TimeUnit::DateTime;
        else if (options.timeUnit)
            layout.timestampUnit = *options.timeUnit;
        else if (ofFormat && *ofFormat == TimeUnit::DateTime)
            layout.timestampUnit = TimeUnit::DateTime;
        else if (ofName)
            layout.timestampUnit = *ofName;
        else {
            const Unit unit = unitOfValues(*timestamp);
            // What has fractions, or counts from 1970, is not what the format's own files have.
            const auto fractions =
                std::count_if(timestamp->samples.begin(), timestamp->samples.end(), [](const FieldValue& value) {
                    return value.type == FieldValue::Type::Real && value.real != std::floor(value.real);
                });
            const bool others =
                unit.unit != TimeUnit::DateTime &&
                (!unit.relative || (unit.unit == TimeUnit::Seconds &&
                                    4 * static_cast<std::size_t>(fractions) >= timestamp->samples.size()));
            layout.timestampUnit = ofFormat && !others ? *ofFormat : unit.unit;
            layout.unitGuessed =
                (unit.relative || unit.mixed) && (!ofFormat || (others && (unit.mixed || *ofFormat != unit.unit)));
        }
        settleRange(layout, *timestamp);
    }
    if (const SourceName* think = layout.source(Field::ThinkTime))
        layout.thinkUnit = unitOfName(think->name).value_or(layout.thinkUnit);
}

std::optional<Layout> match(const FlatFormat& format, std::span<const SourceName> names,
                            const TraceOptions& options)
{
    Layout layout;
    layout.format = format.id;
    for (const FieldName& name : format.names) {
        const SourceName* found = findFolded(names, name.folded);
        if (!found && name.needed)
            return std::nullopt;
        auto& source = layout.sources[static_cast<std::size_t>(name.field)];
        if (found && !source)
            source = *found;
    }
    layout.thinkUnit = format.thinkUnit;
    layout.blockSize = format.blockSize;
    layout.wholeBlocksOnly = format.wholeBlocksOnly;
    layout.idsOfSession = format.idsOfSession;
    layout.sessionClock = format.sessionClock;
    layout.timestampOptional = format.timestampOptional;
    settleUnits(layout, options, format.timestampUnit);
    return layout;
}

void take(Layout& layout, Field field, const SourceName& name)
{
    auto& source = layout.sources[static_cast<std::size_t>(field)];
    if (!source)
        source = name;
}

/// Langfuse lists spans and events beside the generations.
void settleKind(Layout& layout)
{
    auto& kind = layout.sources[static_cast<std::size_t>(Field::Kind)];
    const bool told =
        kind && std::any_of(kind->samples.begin(), kind->samples.end(), [](const FieldValue& value) {
            return value.type == FieldValue::Type::Text && value.text == "GENERATION";
        });
    if (told)
        layout.requestKind = "GENERATION";
    else
        kind.reset();
}

Layout guess(std::span<const SourceName> names, Layout layout)
{
    layout.format = "generic";
    for (const FieldAliases& field : aliases()) {
        const bool tokens = field.field == Field::Prompt || field.field == Field::Output ||
                            field.field == Field::Total || field.field == Field::Cached;
        for (const std::string_view alias : field.names)
            if (const SourceName* found = findAlias(names, alias); found && (!tokens || holdsNumbers(*found)))
                take(layout, field.field, *found);
        // Of bad values in a column of tokens by its name, rows are refused, not the column.
        if (tokens)
            for (const std::string_view alias : field.names)
                if (const SourceName* found = findAlias(names, alias); found && !isNameOfText(alias))
                    take(layout, field.field, *found);
    }
    for (const FieldAliases& field : textAliases())
        for (const std::string_view alias : field.names)
            if (const SourceName* found = findFolded(names, alias); found && !holdsNumbers(*found))
                take(layout, field.field, *found);
    settleKind(layout);
    layout.timestampOptional = false;
    return layout;
}

/// How many of the first rows have as many ids as blocks of this size make.
std::size_t rowsThatFit(const Layout& layout, int size)
{
    const SourceName *prompt = layout.source(Field::Prompt), *blocks = layout.source(Field::Blocks);
    std::size_t fits = 0;
    std::vector<IdRun> runs;
    for (std::size_t i = 0; i < std::min(prompt->samples.size(), blocks->samples.size()); ++i) {
        std::int32_t tokens = 0;
        runs.clear();
        if (parseCount(prompt->samples[i], 1, false, tokens) || !parseIdRuns(blocks->samples[i].text, runs))
            continue;
        std::uint64_t ids = 0;
        for (const IdRun& run : runs)
            ids += run.count;
        const auto whole = static_cast<std::uint64_t>(tokens / size);
        fits += ids > 0 && (ids == whole || ids == whole + 1);
    }
    return fits;
}

/// The format's own size of a block where it fits the rows, else the one that does.
int settledBlockSize(const Layout& layout)
{
    if (!layout.has(Field::Prompt) || !layout.has(Field::Blocks))
        return layout.blockSize;
    int best = layout.blockSize;
    std::size_t most = layout.blockSize > 0 ? 2 * rowsThatFit(layout, layout.blockSize) : 0;
    for (const int size : {512, 256, 128, 64, 32, 16, 1024, 8}) {
        if (const std::size_t fits = rowsThatFit(layout, size); fits > most) {
            most = fits;
            best = size;
        }
    }
    return best;
}

std::string listed(std::span<const SourceName> names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 20; ++i)
        text += (i == 0 ? "" : ", ") + names[i].name;
    return names.size() > 20 ? text + ", …" : text;
}

} // namespace

std::string foldedName(std::string_view name)
{
    std::string text;
    for (const char c : name) {
        if (c == ' ' || c == '_' || c == '-' || c == '\t')
            continue;
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

std::string namesLookedFor(std::string_view format)
{
    std::string text;
    for (const std::vector<FlatFormat>* table : {&flatFormats(), &textFormats()})
        for (const FlatFormat& each : *table)
            if (format == each.id || (format == "auto" && text.find(std::string("(") + std::string(each.id) +
                                                                    ")") == std::string::npos))
                text += std::string(text.empty() ? "" : "; ") + std::string(each.lookedFor) + " (" +
                        std::string(each.id) + ")";
    if (format == "auto" || format == "generic")
        text += std::string(text.empty() ? "" : "; ") +
                "prompt_tokens and completion_tokens or the like (generic); columns can be named one by one";
    return "looked for " + text;
}

Result<Layout> layoutOf(std::vector<SourceName> names, const TraceOptions& options)
{
    const auto refuse = [](const std::string& message) { return Error{ErrorCode::BadInput, "", message}; };
    if (findFolded(names, "nummodelrequests"))
        return refuse(
            "aggregate: its records are sums over many requests (num_model_requests), which tell no "
            "length of any one");
    const bool any = options.format == "auto";
    std::optional<Layout> layout;
    Layout asked;
    for (const auto& [field, name] : options.columns) {
        const SourceName* found = nullptr;
        for (const SourceName& each : names)
            found = !found && each.name == name ? &each : found;
        if (!found)
            found = findFolded(names, foldedName(name));
        if (!found)
            return refuse("no_column: has no column \"" + name + "\" for " + std::string(fieldId(field)) +
                          "; there are: " + listed(names));
        take(asked, field, *found);
    }
    const auto search = [&](const std::vector<FlatFormat>& table) {
        for (const FlatFormat& format : table)
            if (!layout && (any || options.format == format.id))
                layout = match(format, names, options);
    };
    // Named columns come first; what they leave open is guessed.
    if (options.columns.empty())
        search(flatFormats());
    if (!layout && (any || options.format == "generic" || !options.columns.empty())) {
        Layout guessed = guess(names, asked);
        const bool named =
            !options.columns.empty() && (guessed.has(Field::Prompt) || guessed.has(Field::PromptText));
        const bool wanted = options.format == "generic" && guessed.has(Field::PromptText);
        if (guessed.has(Field::Prompt) || named || wanted) {
            if (guessed.has(Field::Output) || guessed.has(Field::OutputText) || options.outputTokens > 0) {
                settleUnits(guessed, options, std::nullopt);
                layout = std::move(guessed);
            }
        }
    }
    if (!layout && options.columns.empty())
        search(textFormats());
    if (!layout && any && options.columns.empty()) {
        Layout guessed = guess(names, asked);
        if (guessed.has(Field::PromptText) &&
            (guessed.has(Field::Output) || guessed.has(Field::OutputText))) {
            settleUnits(guessed, options, std::nullopt);
            layout = std::move(guessed);
        }
    }
    if (!layout)
        return refuse("no_header: has no known header; " + namesLookedFor(options.format));
    layout->blockSize = options.blockSize > 0 ? options.blockSize : settledBlockSize(*layout);
    for (auto& source : layout->sources)
        if (source)
            source->samples.clear();
    return std::move(*layout);
}

} // namespace tailmark
