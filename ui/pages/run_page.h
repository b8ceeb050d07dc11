// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tailmark::ui {

class RunController;
class StoreSession;

/// The run that is on: frontier and timeline live, points, events, and the ways to pause, skip and stop.
class RunPage : public QWidget
{
    Q_OBJECT

public:
    RunPage(RunController* controller, StoreSession* store, QWidget* parent = nullptr);
};

} // namespace tailmark::ui
