// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tailmark::ui {

class StoreSession;

/// The library of stored runs and everything about the one that is open.
class ResultsPage : public QWidget
{
    Q_OBJECT

public:
    ResultsPage(StoreSession* store, QWidget* parent = nullptr);
};

} // namespace tailmark::ui
