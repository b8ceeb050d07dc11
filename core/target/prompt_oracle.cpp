// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prompt_oracle.h"

#include "target/address.h"
#include "target/error_text.h"
#include "target/response_reader.h"
#include "workload/request_body.h"

#include <utility>

namespace tailmark {

namespace {

/// As few as the probe has shown to be taken: only the prompt is of interest.
constexpr int kOutputTokens = 8;
/// A tokenizer answers at once or is of no use.
constexpr double kTokenizerS = 10;

HttpLimits tokenizerLimits(const Limits& limits)
{
    HttpLimits http;
    http.connectS = limits.connectTimeoutS;
    http.totalS = kTokenizerS;
    return http;
}

} // namespace

TargetTokens::TargetTokens(HttpClient& http, const Matrix& matrix, const EngineProfile& profile,
                           const BodyOptions& body)
    : m_http(http), m_matrix(matrix), m_body(body),
      m_takesTokenIds(matrix.target.api == Api::Completions && profile.prompt.tokenIds),
      m_tokenizer(http, matrix.target, profile.prompt, body.model, tokenizerLimits(matrix.limits))
{
    m_requestLimits.connectS = matrix.limits.connectTimeoutS;
    m_requestLimits.totalS = matrix.limits.connectTimeoutS + matrix.limits.firstTokenTimeoutS;
}

PromptOracle TargetTokens::oracle()
{
    PromptOracle oracle;
    if (m_tokenizer.available())
        oracle.tokenize = [this](const std::string& text) { return m_tokenizer.count(text); };
    oracle.report = [this](const std::string& prompt, bool ids) { return report(prompt, ids); };
    oracle.takesTokenIds = m_takesTokenIds;
    return oracle;
}

Result<int> TargetTokens::report(const std::string& prompt, bool ids)
{
    BodyOptions options = m_body;
    options.fit.method = ids ? PromptMethod::TokenIds : PromptMethod::Unchecked;
    const RequestBody fixed(m_matrix, options);
    std::string body;
    fixed.begin(body);
    body += prompt;
    fixed.end(body, kOutputTokens);
    const std::string url = completionsUrl(m_matrix.target);
    const Result<HttpReply> sent = m_http.postJson(url, body, m_requestLimits);
    if (!sent)
        return sent.error();
    const HttpReply& reply = sent.value();
    RequestRecord record;
    ResponseReader reader;
    reader.reset(m_matrix.workload.streaming, Nanoseconds(0), &record, nullptr);
    reader.onHeaders(reply.status, reply.contentType);
    reader.feed(reply.body.data(), reply.body.size(), Nanoseconds(0));
    reader.finish(reply.complete);
    if (record.outcome != Outcome::Completed && record.outcome != Outcome::NoContent)
        return Error{ErrorCode::Unreachable, hideSecrets(url), reader.errorText()};
    if (record.promptTokens == kUnknownCount)
        return Error{ErrorCode::Unreachable, hideSecrets(url), "no prompt tokens are reported"};
    return record.promptTokens;
}

} // namespace tailmark
