// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/prompt.h"
#include "workload/prompt_file.h"

#include <memory>

namespace tailmark {

/// The requests of a point whose lengths are of kind Prompts: each sends a prompt of the file as it is. What the
/// file does not tell of its tokens is not known beforehand. Error: chat messages and a target.api that is not
/// chat. A stated cache is kept apart by `options.saltField` alone, since nothing is written into the prompts.
Result<std::shared_ptr<const RequestSource>> makeFilePromptSource(const Matrix& matrix, const PointPlan& point,
                                                                  const BodyOptions& options,
                                                                  std::shared_ptr<const LengthSource> lengths);

} // namespace tailmark
