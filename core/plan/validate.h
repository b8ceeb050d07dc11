// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/evidence.h"
#include "plan/matrix.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// A point's schedule is made before its first send and kept in memory.
inline constexpr double kMaxRequestsPerPoint = 5'000'000;

/// One thing to say about a matrix. An error keeps it from running; a remark does not.
struct Finding
{
    enum class Severity { Error, Remark };
    Severity severity = Severity::Error;
    std::string path;    ///< key path of the value it is about ("tests[1].rates_per_s[2]")
    std::string message; ///< what is wrong and what is allowed, or what to consider
};

/// Everything to say about a matrix: first the errors, in the order of its keys, then the remarks. Pure:
/// looks at no file and no network. Remarks: a sweep below eight levels, a window too short to carry the
/// percentile of the SLO, a cache that is left as it is found…
std::vector<Finding> validate(const Matrix& matrix);
/// The errors of `extras` as a row of a prompts file has it: fields of that row's request alone. `path` stands
/// before the names of the fields.
std::vector<Finding> rowExtrasErrors(const nlohmann::json& extras, const std::string& path);
bool hasErrors(const std::vector<Finding>& findings);

/// The errors of validate() that lie in single values: what the reader of the matrix file refuses. The rest
/// (nothing to run, fields that the API has not) is legitimate in a file that is still being written.
std::vector<Finding> valueErrors(const Matrix& matrix);

/// What to say of lengths that are drawn from a log without keeping its rows together.
inline constexpr std::string_view kIndependentDraw =
    "prompt and output lengths drawn independently: the relation of the log is lost";

/// The metrics that a limit of the SLO may name: ids of the metric catalogue, which stands a layer above.
std::span<const std::string_view> sloMetricIds();
/// The formats of logs that lengths of kind "trace" may name; read by workload/trace.
std::span<const std::string_view> traceFormatIds();

/// What a key allows, in words, for hints at the field ("a number above 0 and at most 86,400 s"). List
/// numbers in the path are ignored ("tests[3].levels" and "tests.levels" are one key); empty for a path that
/// is no key.
std::string allowedAt(std::string_view path);

} // namespace tailmark
