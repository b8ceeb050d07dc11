// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe_request.h"

#include "base/bounded_json.h"
#include "plan/request_extras.h"
#include "target/address.h"
#include "target/error_text.h"
#include "target/refused_field.h"
#include "target/response_reader.h"
#include "workload/corpus.h"
#include "workload/request_body.h"

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr int kPromptWords = 32;
constexpr int kOutputTokens = 8;

std::string requestBody(const Target& target, const Workload& workload, const BodyOptions& options)
{
    Matrix matrix;
    matrix.target = target;
    matrix.workload = workload;
    keepOneTextAnswer(matrix.workload.extras);
    const RequestBody fixed(matrix, options);
    std::string body;
    fixed.begin(body);
    Corpus(1).append(body, 0, kPromptWords);
    fixed.end(body, kOutputTokens);
    return body;
}

/// The model that the answer names first, and the generated texts of choice 0.
void readAnswer(std::string_view body, bool streaming, ProbeAnswer& answer)
{
    const auto take = [&](std::string_view text) {
        const nlohmann::json json = boundedJson(text);
        const auto member = [](const nlohmann::json& object, const char* key) {
            const auto it = object.is_object() ? object.find(key) : object.end();
            return object.is_object() && it != object.end() ? *it : nlohmann::json();
        };
        if (const nlohmann::json model = member(json, "model"); answer.model.empty() && model.is_string())
            answer.model = plainLine(model.get<std::string>());
        const nlohmann::json choices = member(json, "choices");
        if (!choices.is_array() || choices.empty())
            return;
        std::string generated;
        for (const nlohmann::json& part :
             {choices[0], member(choices[0], "delta"), member(choices[0], "message")})
            for (const char* key : {"text", "content", "reasoning_content", "reasoning"})
                if (const nlohmann::json value = member(part, key); value.is_string())
                    generated += value.get<std::string>();
        if (!generated.empty())
            answer.texts.push_back(std::move(generated));
    };
    if (!streaming)
        return take(body);
    SseParser parser;
    parser.feed(body.data(), body.size());
    SseEvent event;
    while (parser.next(event))
        take(event.data);
}

/// Some servers check a request only behind the headers and tell of it in the stream.
bool refusesFields(const RequestRecord& record, const std::string& errorText)
{
    if (record.outcome == Outcome::ClientError)
        return record.httpStatus == 400 || record.httpStatus == 422;
    return record.outcome == Outcome::ServerError && record.httpStatus == 200 &&
           errorText.find("validation") != std::string::npos;
}

} // namespace

Result<ProbeAnswer> sendProbeRequest(HttpClient& http, const Target& target, const Workload& workload,
                                     const EngineProfile& profile, const BodyOptions& body,
                                     const HttpLimits& limits)
{
    ProbeAnswer answer;
    answer.body = body;
    answer.promptWords = kPromptWords;
    answer.outputTokens = kOutputTokens;
    const std::string url = completionsUrl(target);
    FieldDropper fields(target, workload);
    for (;;) {
        const Result<HttpReply> sent = http.postJson(url, requestBody(target, workload, answer.body), limits);
        if (!sent)
            return sent.error();
        const HttpReply& reply = sent.value();
        answer.record = {};
        RequestRecord& record = answer.record;
        ResponseReader reader;
        reader.reset(workload.streaming, Nanoseconds(0), &record, nullptr, profile.request.emptyDelta);
        reader.onHeaders(reply.status, reply.contentType, reply.location);
        reader.feed(reply.body.data(), reply.body.size(), Nanoseconds(0));
        reader.finish(reply.complete);
        if (refusesFields(record, reader.errorText())) {
            std::string dropped = fields.drop(reply.body, answer.body);
            if (!dropped.empty()) {
                answer.dropped.push_back(std::move(dropped));
                continue;
            }
        }
        if (record.outcome != Outcome::Completed && record.outcome != Outcome::NoContent) {
            return Error{ErrorCode::Unreachable, hideSecrets(url),
                         "the test request failed: " + reader.errorText()};
        }
        readAnswer(reply.body, workload.streaming, answer);
        answer.headers = reply.headers;
        return answer;
    }
}

} // namespace tailmark
