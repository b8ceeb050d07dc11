// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tailmark::ui {

/// Full path of one of our own programs ("tailmark-cli", "tailmark-sim"): beside the running executable, else
/// on PATH; empty where it is in neither place.
QString findProgram(const QString& name);

} // namespace tailmark::ui
