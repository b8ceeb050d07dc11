// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/request_body.h"

#include "base/rng.h"
#include "plan/request_extras.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::ordered_json;

enum DrawOf : std::uint64_t { kVariantDraw = 1, kImageDraw = 2 };

std::string dump(const ordered_json& json)
{
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void merge(ordered_json& into, const nlohmann::json& from)
{
    for (const auto& [key, value] : from.items())
        into[key] = value;
}

/// The same where objects in both are merged too: {"stream_options": {…}}.
void mergeDeep(ordered_json& into, const nlohmann::json& from)
{
    for (const auto& [key, value] : from.items()) {
        if (value.is_object() && into.contains(key) && into[key].is_object())
            mergeDeep(into[key], value);
        else
            into[key] = value;
    }
}

/// `path`: a key, or the key of an object and one of its members ("stream_options.include_usage").
void leaveOut(ordered_json& fields, const std::string& path)
{
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos)
        fields.erase(path);
    else if (const auto object = fields.find(path.substr(0, dot));
             object != fields.end() && object->is_object())
        object->erase(path.substr(dot + 1));
}

void appendNumber(std::string& out, std::int32_t number)
{
    char digits[16];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

} // namespace

std::vector<SentFields> sentFields(const Matrix& matrix, const BodyOptions& options,
                                         const nlohmann::json& ownFields, const nlohmann::json& rowFields)
{
    const Workload& workload = matrix.workload;
    const Result<RequestExtras> read = readExtras(workload.extras);
    const RequestExtras extras = read ? read.value() : RequestExtras{};
    const bool ignoreEos = workload.output == OutputPolicy::Forced && options.ignoreEos;
    const std::vector<Variant> one(1);
    std::vector<SentFields> kinds;
    for (const Variant& variant : extras.variants.empty() ? one : extras.variants) {
        ordered_json fields = ordered_json::object();
        fields["stream"] = workload.streaming;
        if (workload.streaming && options.streamOptions)
            fields["stream_options"] = {{"include_usage", true}};
        if (ignoreEos)
            fields["ignore_eos"] = true;
        if (workload.streaming)
            mergeDeep(fields, options.evidenceFields);
        if (!options.streamOptions)
            fields.erase("stream_options");
        merge(fields, ownFields);
        merge(fields, workload.sampling);
        for (const std::string& field : options.refusedFields)
            leaveOut(fields, field);
        merge(fields, extras.fields);
        merge(fields, variant.fields);
        merge(fields, rowFields);
        merge(fields, matrix.target.extraBody);

        SentFields kind;
        kind.weight = variant.weight;
        kind.model = options.model.empty() ? matrix.target.model : options.model;
        if (const auto named = fields.find("model"); named != fields.end()) {
            if (named->is_string())
                kind.model = named->get<std::string>();
            fields.erase("model");
        }
        kind.minTokens = ignoreEos && options.minTokens && !fields.contains("min_tokens");
        kind.fields = std::move(fields);
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

RequestBody::RequestBody(const Matrix& matrix, const BodyOptions& options, const nlohmann::json& ownFields,
                         const nlohmann::json& rowFields)
{
    const Result<RequestExtras> read = readExtras(matrix.workload.extras);
    const RequestExtras extras = read ? read.value() : RequestExtras{};
    const bool chat = matrix.target.api == Api::Chat;
    const bool messages = chat && options.wholeMessages;
    const bool ids = !chat && options.fit.method == PromptMethod::TokenIds;
    m_choices = extras.choices;
    if (chat && extras.hasImages && !messages) {
        m_images = extras.images.count;
        if (extras.images.file.empty())
            m_made = std::make_shared<TestImages>(extras.images.widthPx, extras.images.heightPx);
        else if (const Result<std::string> url = imageFileUrl(extras.images.file))
            m_imageUrl = url.value();
        else
            m_images = 0;
    }

    const std::vector<SentFields> kinds = sentFields(matrix, options, ownFields, rowFields);
    double weights = 0;
    for (const SentFields& fields : kinds)
        weights += fields.weight;
    double before = 0;
    for (const SentFields& fields : kinds) {
        Kind kind;
        before += fields.weight;
        kind.share = before / weights;
        kind.head = "{";
        if (!fields.model.empty())
            kind.head += "\"model\":" + dump(fields.model) + ',';
        kind.head += messages       ? R"("messages":)"
                     : ids          ? R"("prompt":[)"
                     : !chat        ? R"("prompt":")"
                     : m_images > 0 ? R"("messages":[{"role":"user","content":[{"type":"text","text":")"
                                    : R"("messages":[{"role":"user","content":")";
        kind.afterPrompt = messages ? "," : ids ? "]," : !chat ? R"(",)" : m_images > 0 ? R"("})" : R"("}],)";
        const std::string members = dump(fields.fields); // never empty: "stream" is always there
        kind.members = members.substr(1, members.size() - 2) + ',' + dump(options.maxTokensField) + ':';
        if (fields.minTokens)
            kind.minTokens = R"(,"min_tokens":)";
        m_kinds.push_back(std::move(kind));
    }
}

Status RequestBody::checkFiles(const Matrix& matrix)
{
    const Result<RequestExtras> extras = readExtras(matrix.workload.extras);
    if (!extras || !extras.value().hasImages || extras.value().images.file.empty())
        return success();
    const Result<std::string> url = imageFileUrl(extras.value().images.file);
    return url ? success() : Status(url.error());
}

const RequestBody::Kind& RequestBody::kindOf(std::uint64_t number) const
{
    if (m_kinds.size() == 1)
        return m_kinds.front();
    const double draw = static_cast<double>(deriveSeed(number, kVariantDraw) >> 11) * 0x1p-53;
    for (const Kind& kind : m_kinds)
        if (draw < kind.share)
            return kind;
    return m_kinds.back();
}

void RequestBody::begin(std::string& body, std::uint64_t number) const
{
    body = kindOf(number).head;
}

void RequestBody::nextMessage(std::string& body, std::string_view role) const
{
    body += m_images > 0 ? R"("}]},{"role":")" : R"("},{"role":")";
    body += role;
    body += m_images > 0 ? R"(","content":[{"type":"text","text":")" : R"(","content":")";
}

void RequestBody::end(std::string& body, std::int32_t outputTokens, std::uint64_t number) const
{
    const Kind& kind = kindOf(number);
    body += kind.afterPrompt;
    for (int i = 0; i < m_images; ++i) {
        body += R"(,{"type":"image_url","image_url":{"url":")";
        if (m_made)
            m_made->append(body, deriveSeed(number, kImageDraw, static_cast<std::uint64_t>(i)));
        else
            body += m_imageUrl;
        body += R"("}})";
    }
    if (m_images > 0)
        body += "]}],";
    body += kind.members;
    appendNumber(body, outputTokens);
    if (!kind.minTokens.empty()) {
        body += kind.minTokens;
        appendNumber(body, outputTokens);
    }
    body += '}';
}

} // namespace tailmark
