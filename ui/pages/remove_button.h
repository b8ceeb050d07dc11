// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QToolButton;
class QWidget;

namespace tailmark::ui {

/// The button at a row that takes it away; reached by the keyboard too. An empty `name` is the tip.
QToolButton* removeButton(QWidget* parent, const QString& tip, const QString& name = {});

} // namespace tailmark::ui
