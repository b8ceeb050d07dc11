// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/timeline_chart.h"

#include "charts/timeline_plots.h"
#include "models/format.h"

namespace tailmark::ui {

TimelineChart::TimelineChart(QWidget* parent) : ChartStack(parent)
{
    m_rates =
        new RatesPlot(tr("rate"), QStringLiteral("1/s"),
                      // What coincides is told apart by width and dashes: offered lies dashed over sent.
                      {{tr("sent"), &TimelineBin::sentPerS, 0, Qt::SolidLine, 3},
                       {tr("offered"), &TimelineBin::offeredPerS, 5, Qt::DashLine},
                       {tr("completed"), &TimelineBin::completedPerS, 2},
                       {tr("failed"), &TimelineBin::failedPerS, 1, Qt::SolidLine, 1.6, true}},
                      false, this);
    m_rates->setNamesPhases(true);
    m_rates->setAccessibleName(tr("Offered, sent, completed and failed requests per second along the point"));
    m_flight =
        new RatesPlot(tr("requests"), {},
                      {{tr("backlog (intended, not ended)"), &TimelineBin::backlog, 3, Qt::SolidLine, 3.5},
                       {tr("in flight"), &TimelineBin::inFlight, 0, Qt::DashLine}},
                      true, this);
    m_flight->setAccessibleName(tr("Requests in flight and backlog along the point"));
    m_server = new ServerPlot(tr("engine"), {},
                              {{tr("running in the engine"), &TimelineData::ServerState::running, 0},
                               {tr("waiting in the engine"), &TimelineData::ServerState::waiting, 1}},
                              this);
    m_server->setAccessibleName(tr("Requests running and waiting in the engine, by its own counters"));
    m_kvUse = new ServerPlot(tr("KV"), QStringLiteral("%"),
                             {{tr("KV cache in use"), &TimelineData::ServerState::kvUsePercent, 4}}, this);
    m_kvUse->setAccessibleName(tr("Share of the KV cache in use, by the engine's own counter"));
    m_dots = new DotsPlot(this);
    m_dots->setAccessibleName(tr("Latency of each request along the point"));
    m_rates->setXLabels(false);
    m_flight->setXLabels(false);
    m_server->setXLabels(false);
    m_kvUse->setXLabels(false);
    m_server->hide();
    m_kvUse->hide();
    add(m_rates, 4);
    add(m_flight, 3);
    add(m_server, 3);
    add(m_kvUse, 2);
    add(m_dots, 5);
}

void TimelineChart::setData(const TimelineData& data)
{
    m_rates->setData(data);
    m_flight->setData(data);
    m_server->setData(data);
    m_kvUse->setData(data);
    m_dots->setData(data);
    m_dots->setAccessibleDescription(tr("%1 completed, %2 failed requests")
                                         .arg(formatCount(static_cast<std::uint64_t>(data.dots.size())),
                                              formatCount(static_cast<std::uint64_t>(data.failures.size()))));
    align();
}

void TimelineChart::setMessage(const QString& message)
{
    m_rates->setMessage(message);
}

} // namespace tailmark::ui
