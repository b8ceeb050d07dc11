// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "workload/lengths.h"

#include <memory>
#include <string>

namespace tailmark {

struct ContextFit
{
    std::shared_ptr<const LengthSource> source; ///< the given one, or one that cuts what is too long
    std::string remark; ///< what was cut or may be refused, with figures; mostly empty
};

/// Holds the longest planned request (prompt + template + output) against the longest context of one request,
/// since a server would refuse it or, worse, quietly measure another prompt. `contextTokens` 0 = not known:
/// then all fit. With Stop, or Clip of a fixed length, which would no longer be the one stated: Unreachable.
/// Real prompts are never cut, and held against the context only where their file tells their tokens.
/// Clip takes from the prompt, and from the output only where that alone is too long.
Result<ContextFit> fitIntoContext(std::shared_ptr<const LengthSource> source, LengthsKind kind,
                                  BeyondContext policy, int contextTokens, int templateTokens);

} // namespace tailmark
