// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prompt_oracle.h"

#include "plan/request_extras.h"
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
                           BodyOptions& body)
    : m_http(http), m_matrix(matrix), m_body(body),
      m_takesTokenIds(matrix.target.api == Api::Completions && profile.prompt.tokenIds),
      m_emptyDelta(profile.request.emptyDelta),
      m_tokenizer(http, m_matrix.target, profile.prompt, body.model, tokenizerLimits(matrix.limits))
{
    keepOneTextAnswer(m_matrix.workload.extras);
    m_requestLimits.connectS = matrix.limits.connectTimeoutS;
    m_requestLimits.totalS = matrix.limits.connectTimeoutS + matrix.limits.firstTokenTimeoutS;
}

PromptOracle TargetTokens::oracle()
{
    PromptOracle oracle;
    if (m_tokenizer.available())
        oracle.tokenize = [this](const std::string& text) { return m_tokenizer.count(text); };
    oracle.report = [this](const std::string& prompt, bool ids) {
        BodyOptions options = textOptions();
        if (ids)
            options.fit.method = PromptMethod::TokenIds;
        return report(prompt, options);
    };
    const Workload& workload = m_matrix.workload;
    if (m_matrix.target.api == Api::Chat && workload.sessions.kind != SessionsKind::None &&
        workload.prefix.kind != PrefixKind::Trace)
        oracle.reportTurns = [this](const std::vector<std::string>& turns) {
            nlohmann::json messages = nlohmann::json::array();
            for (const std::string& content : turns)
                messages.push_back({{"role", messages.size() % 2 == 0 ? "user" : "assistant"}, {"content", content}});
            BodyOptions options = textOptions();
            options.wholeMessages = true;
            return report(messages.dump(), options);
        };
    oracle.takesTokenIds = m_takesTokenIds;
    return oracle;
}

std::vector<std::string> TargetTokens::tryCacheFields()
{
    std::vector<std::string> notes;
    nlohmann::json fields = m_body.bypassFields;
    if (!m_body.saltField.empty())
        fields[m_body.saltField] = m_body.runSalt;
    if (fields.empty())
        return notes;
    const Result<Answer> answer = ask(commonWords().first, textOptions(), fields);
    if (!answer || answer.value().record.outcome != Outcome::ClientError)
        return notes;
    const auto refused = [&](const std::string& field) {
        const bool named = answer.value().refusal.find(field) != std::string::npos;
        if (named)
            notes.push_back(field + " was refused and is left out: prompts are kept apart by their first words");
        return named;
    };
    if (!m_body.saltField.empty() && refused(m_body.saltField))
        m_body.saltField.clear();
    const nlohmann::json bypass = m_body.bypassFields;
    for (const auto& [field, value] : bypass.items())
        if (refused(field))
            m_body.bypassFields.erase(field);
    return notes;
}

BodyOptions TargetTokens::textOptions() const
{
    BodyOptions options = m_body;
    options.fit.method = PromptMethod::Unchecked;
    return options;
}

Result<TargetTokens::Answer> TargetTokens::ask(const std::string& prompt, const BodyOptions& options,
                                               const nlohmann::json& fields)
{
    const RequestBody fixed(m_matrix, options, fields);
    std::string body;
    fixed.begin(body);
    body += prompt;
    fixed.end(body, kOutputTokens);
    const std::string url = completionsUrl(m_matrix.target);
    const Result<HttpReply> sent = m_http.postJson(url, body, m_requestLimits);
    if (!sent)
        return sent.error();
    const HttpReply& reply = sent.value();
    Answer answer;
    ResponseReader reader;
    reader.reset(m_matrix.workload.streaming, Nanoseconds(0), &answer.record, nullptr, m_emptyDelta);
    reader.onHeaders(reply.status, reply.contentType);
    reader.feed(reply.body.data(), reply.body.size(), Nanoseconds(0));
    reader.finish(reply.complete);
    if (answer.record.outcome != Outcome::Completed && answer.record.outcome != Outcome::NoContent)
        answer.error = reader.errorText();
    if (answer.record.outcome == Outcome::ClientError)
        answer.refusal = reply.body;
    return answer;
}

Result<int> TargetTokens::report(const std::string& prompt, const BodyOptions& options)
{
    const Result<Answer> answer = ask(prompt, options);
    if (!answer)
        return answer.error();
    const std::string where = hideSecrets(completionsUrl(m_matrix.target));
    if (!answer.value().error.empty())
        return Error{ErrorCode::Unreachable, where, answer.value().error};
    if (answer.value().record.promptTokens == kUnknownCount)
        return Error{ErrorCode::Unreachable, where, "no prompt tokens are reported"};
    return answer.value().record.promptTokens;
}

} // namespace tailmark
