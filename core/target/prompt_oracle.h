// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "record/request_record.h"
#include "target/engine_profiles.h"
#include "target/http_client.h"
#include "target/prompt_calibration.h"
#include "target/tokenizer_client.h"
#include "workload/prompt.h"

#include <string>
#include <vector>

namespace tailmark {

/// Asks one target what its prompts' tokens are: through its tokenizer, and through short requests that are
/// made as the requests of the load are made. Blocking; one thread. Must outlive its oracle, and `http`
/// and `body` outlive it.
class TargetTokens
{
public:
    TargetTokens(HttpClient& http, const Matrix& matrix, const EngineProfile& profile, BodyOptions& body);

    PromptOracle oracle();

    /// Sends one request with the fields that make a stated cache, which the probe's had not. Those that the
    /// server refuses by name are taken out of the body options; what was done in words.
    std::vector<std::string> tryCacheFields();

private:
    struct Answer
    {
        RequestRecord record;
        std::string error;   ///< in words; empty when the request succeeded
        std::string refusal; ///< body of a 4xx
    };
    /// `prompt`: as `options` have it: a text, token ids, or a whole list of messages.
    Result<Answer> ask(const std::string& prompt, const BodyOptions& options,
                       const nlohmann::json& fields = nlohmann::json::object());
    Result<int> report(const std::string& prompt, const BodyOptions& options);
    BodyOptions textOptions() const;

    HttpClient& m_http;
    Matrix m_matrix; ///< without what has prompt tokens of its own (pictures), and with one answer a request
    BodyOptions& m_body;
    bool m_takesTokenIds;
    EmptyDelta m_emptyDelta;
    HttpLimits m_requestLimits;
    TokenizerClient m_tokenizer;
};

} // namespace tailmark
