// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "workload/prompt.h"

#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// What a refusal says of the fields of a request.
struct RefusedField
{
    std::string field;      ///< the one it names, of those that were sent ("stream_options"); empty = none
    bool asUnknown = false; ///< refused whatever its value: unknown, unsupported, forbidden
};

/// Reads the body of a 4xx: pydantic's `loc`, OpenAI's `param`, or the first of the `sent` names that stands
/// in its words ("Unrecognized request argument supplied: top_k", "Use 'max_completion_tokens' instead").
RefusedField readRefusedField(std::string_view body, const std::vector<std::string>& sent);

/// Makes the requests of a run do without what the target refuses. Each field gives way once at most, so that
/// asking again ends.
class FieldDropper
{
public:
    FieldDropper(const Target& target, const Workload& workload);

    /// Leaves out or replaces the field that the refusal names: what was done in words, for the run's
    /// warnings. Empty: it names none, or one that the user asked for by name (extras, extra_body), without
    /// which the requests would not be what was to be measured.
    std::string drop(std::string_view refusal, BodyOptions& body);

private:
    const Target& m_target;
    const Workload& m_workload;
    bool m_renamed = false;
};

/// The fields of a request's body that one sends, as names; a member of stream_options as
/// "stream_options.include_usage".
std::vector<std::string> fieldsOf(const std::string& body);

} // namespace tailmark
