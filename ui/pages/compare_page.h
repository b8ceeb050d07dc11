// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tailmark::ui {

class StoreSession;

/// Two stored runs side by side, baseline first.
class ComparePage : public QWidget
{
    Q_OBJECT

public:
    ComparePage(StoreSession* store, QWidget* parent = nullptr);
};

} // namespace tailmark::ui
