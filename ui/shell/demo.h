// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/sim_process.h"
#include "plan/matrix.h"

#include <QObject>

namespace tailmark::ui {

/// The demo: the simulated engine, and the sample matrix pointed at it. The engine stays up for as long as
/// this lives.
class Demo : public QObject
{
    Q_OBJECT

public:
    /// `simulator`: path of tailmark-sim; empty = found beside the executable or on PATH.
    explicit Demo(const QString& simulator = {}, QObject* parent = nullptr);
    /// Ends in ready() or failed().
    void start();

signals:
    void ready(const tailmark::Matrix& matrix);
    void failed(const QString& reason);

private:
    SimProcess m_sim;
};

} // namespace tailmark::ui
