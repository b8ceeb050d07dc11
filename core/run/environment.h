// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// The machine and the program that measure, as kept with a run: kernel, CPU model, cores, memory, versions,
/// limit of file descriptors. Nothing that names the machine or its user. Entries that cannot be read are
/// left out.
nlohmann::json clientEnvironment();

} // namespace tailmark
