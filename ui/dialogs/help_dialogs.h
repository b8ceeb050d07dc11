// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QWidget;
template <typename T> class QList;

namespace tailmark::ui {

// The windows of the Help menu; each blocks its parent until it is closed.

void showAbout(QWidget* parent);
/// The shortcuts of the given actions.
void showShortcuts(QWidget* parent, const QList<QAction*>& actions);
/// The metric catalogue: what each number is, with its unit and formula.
void showMetricDefinitions(QWidget* parent);

} // namespace tailmark::ui
