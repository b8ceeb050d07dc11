// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/chart_stack.h"
#include "models/timeline_data.h"

namespace tailmark::ui {

class RatesPlot;
class DotsPlot;
class ServerPlot;

/// One point along its time: the rates, what is in flight and waiting, what the engine says of itself where
/// it does, and each request's latency as a dot at its intended start. The window is shaded, the phases of a
/// burst are named.
class TimelineChart : public ChartStack
{
    Q_OBJECT

public:
    explicit TimelineChart(QWidget* parent = nullptr);

    void setData(const TimelineData& data);
    /// What to do to have something here.
    void setMessage(const QString& message);

private:
    RatesPlot* m_rates;
    RatesPlot* m_flight;
    ServerPlot* m_server;
    ServerPlot* m_kvUse;
    DotsPlot* m_dots;
};

} // namespace tailmark::ui
