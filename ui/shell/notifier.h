// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tailmark::ui {

/// Shows a notification of the desktop, if it has such a service; never waits for it.
void notifyDesktop(const QString& title, const QString& text);

} // namespace tailmark::ui
