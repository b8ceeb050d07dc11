// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace tailmark::ui {

enum class Tint { Text, Secondary, Accent, OnAccent, Error, Warning, Ok };

/// One of our own SVG icons ("plan", "run", …; resources/icons), drawn in a colour of the application's
/// palette at the time of painting, so that it follows light and dark.
QIcon icon(const QString& name, Tint tint = Tint::Text);
/// The application's own icon, in its own colours.
QIcon applicationIcon();

} // namespace tailmark::ui
