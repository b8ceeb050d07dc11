// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tailmark {

/// Why no window can be opened here, in one line; empty when nothing speaks against it. Looks at the
/// environment only, since Qt aborts the process when it finds out for itself.
std::string displayProblem();

} // namespace tailmark
