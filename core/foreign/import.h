// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "foreign/result_file.h"
#include "store/store.h"

namespace tailmark {

/// Puts the levels of another tool's result files into the store as one run, each level a point without records; the
/// same level twice makes repeats. The run is marked by its tool (RunInfo::foreign). Levels of both axes make a test
/// each; `test`, where given, names the only one. Errors: BadInput where levels are of several tools or a level is no
/// load of ours; those of the store.
Result<RunId> importForeignRun(Store& store, const std::string& name, const std::string& test,
                               std::span<const ForeignLevel> levels);

} // namespace tailmark
