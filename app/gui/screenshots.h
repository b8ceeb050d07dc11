// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tailmark::ui {
class MainWindow;
class Theme;
} // namespace tailmark::ui

namespace tailmark {

/// Runs the demo into the window's database, then writes a picture of each page in both themes into `folder`; the
/// Compare page has an earlier run beside it where the database holds one. Blocks, running the event loop; at most a few minutes. Returns what went wrong, empty
/// when all is written.
QString takeScreenshots(ui::MainWindow& window, ui::Theme& theme, const QString& folder);

} // namespace tailmark
