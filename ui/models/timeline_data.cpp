// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timeline_data.h"

#include "models/format.h"

namespace tailmark::ui {

double timelineBinS(double lengthS)
{
    constexpr double kBins = 60;
    for (double step : {0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0})
        if (lengthS / step <= kBins)
            return step;
    return 60;
}

namespace {

void setDots(TimelineData& data, const RecordBatch& batch)
{
    data.dots.clear();
    data.failures.clear();
    for (const RequestRecord& r : batch.records) {
        if (!isPresent(r.intended))
            continue;
        const double at = toSeconds(r.intended);
        if (r.outcome == Outcome::Completed) {
            if (const auto value = requestValue(data.latency, r))
                data.dots.append({at, *value});
        } else if (r.outcome != Outcome::Cancelled) {
            data.failures.append(at);
        }
    }
}

} // namespace

namespace {

std::optional<double> percent(std::optional<double> share)
{
    return share ? std::optional(*share * 100) : std::nullopt;
}

void setServer(TimelineData& data, std::span<const ServerSample> samples)
{
    for (const ServerSample& sample : samples) {
        const double at = toSeconds(sample.at);
        TimelineData::ServerState told;
        if (!data.server.isEmpty() && data.server.last().atS == at)
            told = data.server.takeLast();
        told.atS = at;
        if (sample.counter == ServerCounter::Running)
            told.running = sample.value;
        else if (sample.counter == ServerCounter::Waiting)
            told.waiting = sample.value;
        else if (sample.counter == ServerCounter::KvUse)
            told.kvUsePercent = percent(sample.value);
        data.server.append(told);
    }
    data.server.removeIf(
        [](const TimelineData::ServerState& s) { return !s.running && !s.waiting && !s.kvUsePercent; });
}

} // namespace

QList<TimelineData::Phase> phasesOf(const PointPlan& point)
{
    QList<TimelineData::Phase> phases;
    double at = 0;
    if (point.phases.size() > 1)
        for (const Phase& phase : point.phases) {
            phases.append({text(phase.name), at, at + phase.durationS});
            at += phase.durationS;
        }
    return phases;
}

TimelineData timelineData(const PointPlan& point, const Window& window, const RecordBatch& batch,
                          std::span<const ServerSample> serverSamples)
{
    TimelineData data;
    double endS = window.endS;
    for (const RequestRecord& r : batch.records)
        if (isPresent(r.closed))
            endS = std::max(endS, toSeconds(r.closed));
    data.endS = endS;
    data.binS = timelineBinS(endS);
    for (const TimelineBin& bin : timeline(batch, data.binS))
        data.bins.append(bin);
    data.windowStartS = window.startS;
    data.windowEndS = window.endS;
    data.phases = phasesOf(point);
    data.latency = headlineMetric(point.openLoop());
    setDots(data, batch);
    setServer(data, serverSamples);
    return data;
}

void LiveTimeline::start(const PointStarted& point, const QList<TimelineData::Phase>& phases)
{
    m_data = {};
    m_data.phases = phases;
    m_data.latency =
        headlineMetric(point.kind == TestKind::ArrivalSweep || point.kind == TestKind::BurstRecovery);
    m_binStart = {};
    m_data.windowStartS = point.warmupS;
    m_data.windowEndS = point.warmupS + point.durationS;
    m_data.endS = m_data.windowEndS;
    m_data.binS = timelineBinS(m_data.endS);
}

void LiveTimeline::setRecords(const RecordBatch& records)
{
    setDots(m_data, records);
}

void LiveTimeline::addServer(const Progress& progress)
{
    const double at = toSeconds(progress.load.elapsed);
    if (!progress.serverRunning && !progress.serverWaiting && !progress.serverKvUse)
        return;
    if (!m_data.server.isEmpty() && at < m_data.server.last().atS + 1)
        return; // it is asked once a second
    m_data.server.append({at, progress.serverRunning, progress.serverWaiting, percent(progress.serverKvUse)});
}

void LiveTimeline::add(const LoadSnapshot& now)
{
    const double elapsed = toSeconds(now.elapsed - m_binStart.elapsed);
    if (elapsed < m_data.binS)
        return;
    const auto rate = [&](std::uint64_t LoadSnapshot::*count) {
        return static_cast<double>(now.*count - m_binStart.*count) / elapsed;
    };
    TimelineBin bin;
    bin.startS = toSeconds(m_binStart.elapsed);
    bin.offeredPerS = rate(&LoadSnapshot::intended);
    bin.sentPerS = rate(&LoadSnapshot::sent);
    bin.acceptedPerS = rate(&LoadSnapshot::accepted);
    bin.completedPerS = rate(&LoadSnapshot::completed);
    bin.failedPerS = rate(&LoadSnapshot::failed);
    bin.outputTokensPerS = rate(&LoadSnapshot::outputTokens);
    bin.inFlight = now.inFlight;
    bin.backlog = static_cast<double>(now.inFlight) + now.waiting;
    m_data.bins.append(bin);
    m_data.endS = std::max(m_data.endS, toSeconds(now.elapsed));
    m_binStart = now;
}

} // namespace tailmark::ui
