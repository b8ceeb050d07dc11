// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe_request.h"

#include "target/address.h"
#include "target/error_text.h"
#include "target/response_reader.h"
#include "workload/corpus.h"
#include "workload/request_body.h"

namespace tailmark {

namespace {

constexpr int kPromptWords = 32;
constexpr int kOutputTokens = 8;
/// A chat template of one message is no longer than this; beyond it the words themselves are more than a
/// token each.
constexpr int kLongestTemplate = 96;

std::string requestBody(const Target& target, const BodyOptions& options)
{
    Matrix matrix;
    matrix.target = target;
    const RequestBody fixed(matrix, options);
    std::string body;
    fixed.begin(body);
    Corpus(1).append(body, 0, kPromptWords);
    fixed.end(body, kOutputTokens);
    return body;
}

/// Makes the request do without what a server refuses. Each field gives way once at most, so the asking ends.
class FieldDropper
{
public:
    /// Drops the optional field that the refusal names; what was done in words, empty when there is none to
    /// drop.
    std::string drop(const std::string& refusal, BodyOptions& body)
    {
        const auto names = [&](const char* field) { return refusal.find(field) != std::string::npos; };
        if (body.streamOptions && (names("stream_options") || names("include_usage"))) {
            body.streamOptions = false;
            return "stream_options was refused and is left out: the server may report no token counts";
        }
        if (body.minTokens && names("min_tokens")) {
            body.minTokens = false;
            return "min_tokens was refused and is left out";
        }
        if (body.ignoreEos && names("ignore_eos")) {
            body.ignoreEos = body.minTokens = false;
            return "ignore_eos was refused and is left out: output lengths cannot be forced";
        }
        // servers that want the newer name say so when they refuse the older one
        if (!m_renamed && names("max_completion_tokens")) {
            m_renamed = true;
            const std::string refused = body.maxTokensField;
            body.maxTokensField = refused == "max_tokens" ? "max_completion_tokens" : "max_tokens";
            return refused + " was refused, " + body.maxTokensField + " is sent instead";
        }
        return {};
    }

private:
    bool m_renamed = false;
};

/// Holds the reported counts against the planned ones.
void check(const RequestRecord& record, const Target& target, ProbeRequestResult& result)
{
    const auto note = [&](std::string text) { result.notes.push_back(std::move(text)); };
    if (record.outcome == Outcome::NoContent)
        note("the test request ended properly without any generated token");
    if (record.promptTokens < 0 && record.outputTokens < 0) {
        note("no usage reported: token counts and rates will be unknown");
        return;
    }
    const int extra = record.promptTokens - kPromptWords;
    if (extra < 0 || extra > kLongestTemplate)
        note("a prompt planned as " + std::to_string(kPromptWords) + " tokens is " +
             std::to_string(record.promptTokens) + " by the server's count: prompt lengths will be off");
    else if (target.api == Api::Chat)
        result.body.chatOverheadTokens = extra;
    if (record.outputTokens > kOutputTokens)
        note("asked for at most " + std::to_string(kOutputTokens) + " output tokens, the server reports " +
             std::to_string(record.outputTokens) + ": it does not keep to " + result.body.maxTokensField);
    else if (result.body.ignoreEos && record.outputTokens != kOutputTokens)
        note("asked for exactly " + std::to_string(kOutputTokens) + " output tokens, the server reports " +
             std::to_string(record.outputTokens) + ": output lengths are not forced");
}

} // namespace

Result<ProbeRequestResult> sendProbeRequest(HttpClient& http, const Target& target, const BodyOptions& body,
                                            const HttpLimits& limits)
{
    ProbeRequestResult result;
    result.body = body;
    const std::string url = completionsUrl(target);
    FieldDropper fields;
    for (;;) {
        const Result<HttpReply> sent = http.postJson(url, requestBody(target, result.body), limits);
        if (!sent)
            return sent.error();
        const HttpReply& reply = sent.value();
        RequestRecord record;
        ResponseReader reader;
        reader.reset(true, Nanoseconds(0), &record, nullptr);
        reader.onHeaders(reply.status, reply.contentType);
        reader.feed(reply.body.data(), reply.body.size(), Nanoseconds(0));
        reader.finish(reply.complete);
        if (record.outcome == Outcome::ClientError) {
            const std::string dropped = fields.drop(reply.body, result.body);
            if (!dropped.empty()) {
                result.notes.push_back(dropped);
                continue;
            }
        }
        if (record.outcome != Outcome::Completed && record.outcome != Outcome::NoContent) {
            std::string text = reader.errorText();
            if (!reply.location.empty())
                text += " (to " + hideSecrets(reply.location) + ")";
            return Error{ErrorCode::Unreachable, hideSecrets(url), "the test request failed: " + text};
        }
        result.promptTokens = record.promptTokens;
        result.outputTokens = record.outputTokens;
        check(record, target, result);
        return result;
    }
}

} // namespace tailmark
