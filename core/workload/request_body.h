// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "workload/prompt.h"

#include <string>

namespace tailmark {

/// The JSON body of a request with everything that is the same for all requests of a point made once: only
/// the prompt and the output length are put in.
class RequestBody
{
public:
    RequestBody(const Matrix& matrix, const BodyOptions& options);

    /// Up to where the prompt goes. The prompt's text must need no JSON escape.
    void begin(std::string& body) const { body = m_head; }
    /// From behind the prompt to the end.
    void end(std::string& body, std::int32_t outputTokens) const;

private:
    std::string m_head;      ///< {"model":"m","messages":[{"role":"user","content":"
    std::string m_maxTokens; ///< "}],…,"max_tokens":
    std::string m_minTokens; ///< ,"min_tokens": or empty
};

} // namespace tailmark
