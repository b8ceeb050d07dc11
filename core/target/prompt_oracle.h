// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "target/engine_profiles.h"
#include "target/http_client.h"
#include "target/prompt_calibration.h"
#include "target/tokenizer_client.h"
#include "workload/prompt.h"

namespace tailmark {

/// Asks one target what its prompts' tokens are: through its tokenizer, and through short requests that are
/// made as the requests of the load are made. Blocking; one thread. Must outlive its oracle, and `http`,
/// `matrix` and `body` it.
class TargetTokens
{
public:
    TargetTokens(HttpClient& http, const Matrix& matrix, const EngineProfile& profile, const BodyOptions& body);

    PromptOracle oracle();

private:
    Result<int> report(const std::string& prompt, bool ids);

    HttpClient& m_http;
    const Matrix& m_matrix;
    const BodyOptions& m_body;
    bool m_takesTokenIds;
    HttpLimits m_requestLimits;
    TokenizerClient m_tokenizer;
};

} // namespace tailmark
