// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summarize.h"
#include "run/run_event.h"

#include <QList>
#include <QPointF>
#include <QString>

#include <optional>
#include <span>

namespace tailmark::ui {

/// What happened in one point along its time, seconds since its start.
struct TimelineData
{
    struct Phase
    {
        QString name;
        double startS = 0, endS = 0;
    };

    /// What the engine told of itself at one moment; what it does not tell is absent.
    struct ServerState
    {
        double atS = 0;
        std::optional<double> running, waiting, kvUsePercent;
    };

    QList<TimelineBin> bins;
    QList<ServerState> server; ///< by time; empty where it tells nothing
    double binS = 1;
    double endS = 0;
    double windowStartS = 0, windowEndS = 0; ///< equal: not known yet
    double steadyFromS = 0, steadyToS = 0;   ///< where the latency has no trend; equal: nowhere, or not known
    QList<Phase> phases;                     ///< of a burst; empty when there is only one
    Metric latency = Metric::Ttft;           ///< what the dots are: the headline latency
    QList<QPointF> dots;                     ///< completed requests: intended start, latency in ms
    QList<double> failures;                  ///< intended starts of the requests that ended otherwise
};

/// Bins of 0.25, 0.5, 1, 2, 5, 10 … s, at most sixty: wide enough to hold more than one request each.
double timelineBinS(double lengthS);

TimelineData timelineData(const PointPlan& point, const Window& window, const RecordBatch& records,
                          std::span<const ServerSample> serverSamples = {});
/// The phases of a point, where it has more than one.
QList<TimelineData::Phase> phasesOf(const PointPlan& point);

/// The timeline of the running point from its progress events: requests in flight are in no record yet.
class LiveTimeline
{
public:
    /// `phases`: those of a burst, where they are known yet.
    void start(const PointStarted& point, const QList<TimelineData::Phase>& phases = {});
    void add(const LoadSnapshot& snapshot);
    /// What the engine told last, as it comes with the progress of the point.
    void addServer(const Progress& progress);

    const TimelineData& data() const { return m_data; }
    /// Dots of the records stored so far.
    void setRecords(const RecordBatch& records);

private:
    TimelineData m_data;
    LoadSnapshot m_binStart; ///< the snapshot with which the bin that is being filled began
};

} // namespace tailmark::ui
