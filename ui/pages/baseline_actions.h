// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"

#include <functional>

class QMenu;
class QWidget;

namespace tailmark::ui {

class StoreSession;

/// Adds what can be done about baselines with this run: keep it as one under a name, compare it with one
/// (`compare` is told which), forget one that it is. `parent`: of the question for the name.
void addBaselineActions(QMenu& menu, StoreSession& store, RunId run, QWidget* parent,
                        const std::function<void(RunId)>& compare);

} // namespace tailmark::ui
