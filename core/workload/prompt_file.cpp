// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt_file.h"

#include "base/bounded_json.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "plan/request_extras.h"
#include "plan/validate.h"
#include "record/request_record.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/csv_reader.h"
#include "workload/trace/fields.h"
#include "workload/trace/json_records.h"
#include "workload/trace/json_values.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::int32_t kMaxTokens = 2'000'000;
/// The parts of a body that stay the same are made once for each of the extras.
constexpr std::size_t kMaxExtras = 4096;

constexpr const char* kTextNames[] = {"prompt",   "text",  "text_input", "instruction",
                                      "question", "input", "content",    "context"};
constexpr const char* kPromptCounts[] = {"prompt_tokens", "input_tokens", "input_length",
                                         "prompt_tokens_count", "input_tokens_count"};
constexpr const char* kOutputCounts[] = {"output_tokens",       "output_length",           "output_tokens_count",
                                         "completion_tokens",   "completion_tokens_count", "max_tokens",
                                         "max_completion_tokens"};

/// The first of the names that the object has and that is not empty.
template <std::size_t N> const json* firstOf(const json& object, const char* const (&names)[N])
{
    for (const char* name : names)
        if (const auto it = object.find(name); it != object.end() && !it->is_null() && *it != "")
            return &*it;
    return nullptr;
}

/// A count of tokens; absent where there is none, an error's word where it is none.
struct Count
{
    std::optional<std::int32_t> value;
    const char* wrong = nullptr;
};
template <std::size_t N> Count countOf(const json& object, const char* const (&names)[N])
{
    const json* found = firstOf(object, names);
    if (!found)
        if (const auto usage = object.find("usage"); usage != object.end() && usage->is_object())
            found = firstOf(*usage, names);
    if (!found)
        return {};
    std::int32_t count = 0;
    if (const char* wrong = parseCount(fieldValueOf(*found), 1, false, count))
        return {{}, wrong};
    return count > kMaxTokens ? Count{{}, "out_of_range"} : Count{count, nullptr};
}

std::string escaped(const std::string& text)
{
    const std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
}

/// What a user asked first in a ShareGPT conversation.
const std::string* firstQuestion(const json& conversations)
{
    for (const json& turn : conversations) {
        const auto from = turn.is_object() ? turn.find("from") : turn.end();
        const auto value = turn.is_object() ? turn.find("value") : turn.end();
        if (!turn.is_object() || from == turn.end() || value == turn.end() || !value->is_string())
            continue;
        if (*from == "human" || *from == "user")
            return value->get_ptr<const std::string*>();
    }
    return nullptr;
}

std::int32_t charactersOfMessages(const json& messages)
{
    std::int32_t characters = 0;
    for (const json& message : messages) {
        const auto content = message.is_object() ? message.find("content") : message.end();
        if (!message.is_object() || content == message.end())
            continue;
        if (content->is_string())
            characters += codePoints(content->get_ref<const std::string&>());
        else if (content->is_array())
            for (const json& part : *content)
                if (part.is_object() && part.contains("text") && part["text"].is_string())
                    characters += codePoints(part["text"].get_ref<const std::string&>());
    }
    return characters;
}

class PromptLengths final : public LengthSource
{
public:
    explicit PromptLengths(std::shared_ptr<const FilePrompts> prompts) : m_prompts(std::move(prompts))
    {
        LengthPart part;
        for (std::size_t i = 0; i < m_prompts->size(); ++i)
            part.pairs.push_back(pairOf(i));
        m_parts.push_back(std::move(part));
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        return pairOf(m_prompts->indexOf(seed, request));
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }
    std::string remark() const override { return m_prompts->remark(); }
    const FilePrompts* prompts() const override { return m_prompts.get(); }

private:
    LengthPair pairOf(std::size_t i) const { return {m_prompts->roughTokens(i), m_prompts->outputTokens(i)}; }

    std::shared_ptr<const FilePrompts> m_prompts;
    std::vector<LengthPart> m_parts;
};

} // namespace

/// Gathers the prompts of a file.
class PromptFileReader
{
public:
    explicit PromptFileReader(const Lengths& lengths) : m_lengths(lengths) {}
    Result<std::shared_ptr<const FilePrompts>> read();

private:
    Status readJson(ByteSource& source, std::string_view begin);
    Status readCsv(ByteSource& source);
    Status add(const json& record, std::int64_t line);
    void refuse(std::int64_t line, const char* reason);
    const char* take(const json& record, const json*& extras);
    Result<std::uint32_t> numberOf(const json& extras, std::int64_t line);
    void finish();

    const Lengths& m_lengths;
    FilePrompts m_all;
    std::uint64_t m_refused = 0, m_withoutOutput = 0;
    std::string m_firstRefused;
    Sha256 m_hash;
    std::unordered_map<std::string, std::uint32_t> m_numbers; ///< of extras, by their JSON
};

/// Null, or the reason why the record cannot be used. `extras`: those of the record, null where it has none.
const char* PromptFileReader::take(const json& record, const json*& extras)
{
    if (!record.is_object())
        return "is not an object, or nested too deep";
    if (const auto own = record.find("extras"); own != record.end() && !own->is_null() && *own != "")
        extras = &*own;
    if (const auto body = record.find("body"); body != record.end() && body->is_object())
        return take(*body, extras);
    FilePrompts::Prompt prompt;
    std::string text;
    bool messages = false;
    if (const auto list = record.find("messages"); list != record.end() && list->is_array()) {
        if (list->empty())
            return "has no messages";
        messages = true;
        text = list->dump(-1, ' ', false, json::error_handler_t::replace);
        prompt.characters = charactersOfMessages(*list);
    } else {
        const std::string* found = nullptr;
        if (const auto turns = record.find("conversations"); turns != record.end() && turns->is_array())
            found = firstQuestion(*turns);
        else if (const json* named = firstOf(record, kTextNames)) {
            if (named->is_array() && !named->empty() && named->front().is_string())
                named = &named->front();
            found = named->get_ptr<const std::string*>();
        }
        if (!found || found->empty())
            return "has no text that could be sent";
        text = escaped(*found);
        prompt.characters = codePoints(*found);
    }
    if (m_all.m_prompts.empty())
        m_all.m_messages = messages;
    else if (m_all.m_messages != messages)
        return messages ? "has messages, the records before it a text" : "has a text, the records before it messages";
    const Count promptTokens = countOf(record, kPromptCounts), outputTokens = countOf(record, kOutputCounts);
    if (promptTokens.wrong || outputTokens.wrong)
        return "has a number of tokens that is none";
    prompt.promptTokens = promptTokens.value.value_or(kUnknownCount);
    prompt.outputTokens = outputTokens.value.value_or(m_lengths.outputTokens);
    m_withoutOutput += !outputTokens.value;
    m_all.m_tokensTold = m_all.m_tokensTold && promptTokens.value.has_value();
    prompt.begin = m_all.m_pool.size();
    prompt.size = text.size();
    m_all.m_pool += text;
    m_all.m_prompts.push_back(prompt);
    m_hash.add(text);
    m_hash.add('\n' + std::to_string(prompt.promptTokens) + ' ' + std::to_string(prompt.outputTokens) + '\n');
    return nullptr;
}

/// Which of the file's extras these are; they become some of it where they are new.
Result<std::uint32_t> PromptFileReader::numberOf(const json& extras, std::int64_t line)
{
    const auto refuse = [&](const std::string& message) {
        return Error{ErrorCode::BadInput, m_lengths.file, "line " + std::to_string(line) + ": " + message};
    };
    const std::string text = extras.dump(-1, ' ', false, json::error_handler_t::replace);
    const auto [known, isNew] = m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_all.m_extras.size()));
    if (isNew) {
        if (const std::vector<Finding> wrong = rowExtrasErrors(extras, "extras"); !wrong.empty())
            return refuse(wrong.front().path + " " + wrong.front().message);
        if (m_all.m_extras.size() > kMaxExtras)
            return refuse("has the " + std::to_string(kMaxExtras + 1) + "th different extras of the file; at most " +
                          std::to_string(kMaxExtras) + " are possible");
        m_all.m_extras.push_back(extras);
        m_all.m_linesOfExtras.push_back(line);
    }
    m_hash.add("extras " + text + '\n');
    for (const auto& [field, value] : extras.items())
        ++m_all.m_fieldsOfRows[field];
    return known->second;
}

void PromptFileReader::refuse(std::int64_t line, const char* reason)
{
    if (++m_refused == 1)
        m_firstRefused = "line " + std::to_string(line) + " " + reason;
}

Status PromptFileReader::add(const json& record, std::int64_t line)
{
    if (record.is_string()) // some copies have their entries once more as text
        if (const json inside = boundedJson(record.get_ref<const std::string&>()); inside.is_object())
            return add(inside, line);
    const json* extras = nullptr;
    if (const char* reason = take(record, extras)) {
        refuse(line, reason);
        return success();
    }
    if (m_all.m_prompts.size() == 1)
        m_all.m_firstLine = line;
    if (extras) {
        const Result<std::uint32_t> number = numberOf(*extras, line);
        if (!number)
            return number.error();
        m_all.m_prompts.back().extras = number.value();
    }
    if (m_all.m_pool.size() > kMaxBytes)
        return Error{ErrorCode::BadInput, m_lengths.file, "holds more than 1 GiB of prompts; take a part of it"};
    return success();
}

Status PromptFileReader::readJson(ByteSource& source, std::string_view begin)
{
    JsonRecords records(source, jsonShapeOf(begin));
    std::string_view record;
    while (records.next(record))
        if (Status status = add(boundedJson(record), records.line()); !status)
            return status;
    return success();
}

Status PromptFileReader::readCsv(ByteSource& source)
{
    const std::optional<CsvHead> head = csvHead(source.window(), ',');
    CsvRecords records(source, ',');
    std::string_view record;
    std::vector<std::string_view> cells;
    std::deque<std::string> unquoted;
    for (bool first = true; records.next(record); first = false) {
        if (first)
            continue;
        if (records.fault()) {
            refuse(records.line(), "has quotes that do not fit");
            continue;
        }
        unquoted.clear();
        splitCells(record, ',', std::string_view::npos, cells, unquoted);
        json row = json::object();
        for (std::size_t i = 0; head && i < head->names.size() && i < cells.size(); ++i)
            row[head->names[i].name] = std::string(cells[i]);
        if (const auto extras = row.find("extras"); extras != row.end())
            if (json inside = boundedJson(extras->get_ref<const std::string&>()); inside.is_object())
                *extras = std::move(inside);
        if (Status status = add(row, records.line()); !status)
            return status;
    }
    return success();
}

void PromptFileReader::finish()
{
    m_all.m_hash = m_hash.hex();
    std::string& remark = m_all.m_remark;
    const auto tell = [&](const std::string& text) {
        remark += (remark.empty() ? m_lengths.file + ": " : "; ") + text;
    };
    const std::size_t all = m_all.m_prompts.size();
    if (m_refused > 0)
        tell(std::to_string(m_refused) + " of " + std::to_string(all + m_refused) +
             " records were refused; the first: " + m_firstRefused);
    if (!m_all.m_tokensTold)
        tell("it does not tell the tokens of every prompt: the plan counts one for four characters, the results "
             "what the server reports");
    if (m_withoutOutput > 0)
        tell(std::to_string(m_withoutOutput) + " of " + std::to_string(all) +
             " prompts have no output length and take workload.lengths.output_tokens, " +
             std::to_string(m_lengths.outputTokens));
}

Result<std::shared_ptr<const FilePrompts>> PromptFileReader::read()
{
    const auto refuse = [&](const std::string& message) {
        return Error{ErrorCode::BadInput, m_lengths.file, message};
    };
    Result<ByteSource> opened = ByteSource::open(m_lengths.file);
    if (!opened)
        return opened.error();
    ByteSource& source = opened.value();
    std::string_view begin = source.window();
    if (begin.find('\0') != std::string_view::npos)
        return refuse("holds zero bytes; must be JSON lines, a JSON array or CSV");
    if (begin.starts_with("\xEF\xBB\xBF"))
        begin.remove_prefix(3);
    const std::size_t first = begin.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string_view::npos && (begin[first] == '{' || begin[first] == '[');
    if (Status status = isJson ? readJson(source, begin) : readCsv(source); !status)
        return status.error();
    if (!source.failure().empty())
        return refuse(source.failure());
    if (m_all.m_prompts.empty())
        return refuse(m_refused > 0 ? "none of its " + std::to_string(m_refused) + " records can be used; " +
                                          m_firstRefused
                                    : std::string("holds no prompts"));
    finish();
    m_all.m_file = m_lengths.file;
    return std::shared_ptr<const FilePrompts>(std::make_shared<FilePrompts>(std::move(m_all)));
}

Result<std::shared_ptr<const FilePrompts>> FilePrompts::read(const Lengths& lengths)
{
    return PromptFileReader(lengths).read();
}

std::string_view FilePrompts::asJson(std::size_t i) const
{
    return std::string_view(m_pool).substr(m_prompts[i].begin, m_prompts[i].size);
}

Status FilePrompts::fitApi(Api api) const
{
    const auto refuse = [&](std::int64_t line, const std::string& what) {
        return Error{ErrorCode::BadInput, m_file, "line " + std::to_string(line) + ": " + what};
    };
    if (m_messages && api != Api::Chat)
        return refuse(m_firstLine, "holds chat messages, which need target.api \"chat\"");
    for (std::size_t i = 0; i < m_extras.size(); ++i)
        if (const std::optional<Error> other = otherApisField(m_extras[i], api, "extras"))
            return refuse(m_linesOfExtras[i], other->where + " " + other->message);
    return success();
}

/// Steps of a length that has no divisor in common with the number of prompts visit each of them once.
std::size_t FilePrompts::indexOf(std::uint64_t seed, std::uint32_t request) const
{
    const std::uint64_t n = m_prompts.size();
    std::uint64_t step = deriveSeed(seed, 1) % n;
    while (std::gcd(step, n) != 1)
        step = (step + 1) % n;
    return static_cast<std::size_t>((deriveSeed(seed, 2) % n + step * (request % n)) % n);
}

std::int32_t FilePrompts::roughTokens(std::size_t i) const
{
    const Prompt& prompt = m_prompts[i];
    return prompt.promptTokens != kUnknownCount
               ? prompt.promptTokens
               : std::clamp((prompt.characters + 3) / 4, std::int32_t{1}, kMaxTokens);
}

std::shared_ptr<const LengthSource> makePromptLengths(std::shared_ptr<const FilePrompts> prompts)
{
    return std::make_shared<PromptLengths>(std::move(prompts));
}

} // namespace tailmark
