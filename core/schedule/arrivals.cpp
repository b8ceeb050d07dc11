// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/arrivals.h"

#include "base/exact_math.h"
#include "plan/rate_curve.h"
#include "plan/rule.h"
#include "plan/validate.h"
#include "schedule/recorded_arrivals.h"
#include "schedule/unit_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace tailmark {

namespace {

/// 0.1/s × 30 s is a little above 3 in binary, and makes three arrivals all the same.
constexpr double kSlack = 1e-9;

/// Arrivals in operational time, of whichever process.
class Source
{
public:
    virtual ~Source() = default;
    struct Next
    {
        double at = 0;
        std::uint32_t row = 0, lap = 0;
    };
    virtual Next next() = 0;
};

class Drawn final : public Source
{
public:
    explicit Drawn(const PointPlan& point)
        : m_unit(point.process, point.cv, point.seeds.arrivals), m_perArrival(point.fanOut)
    {
    }
    Next next() override { return {m_unit.next() * m_perArrival}; }

private:
    UnitArrivals m_unit;
    double m_perArrival;
};

/// How many arrivals of the log a point without a time scale needs.
std::uint64_t logArrivals(const PointPlan& point, double requests)
{
    return static_cast<std::uint64_t>(std::max(1.0, std::round(requests / point.fanOut)));
}

class Replayed final : public Source
{
public:
    Replayed(const PointPlan& point, const RecordedWindow& window, double requests) : m_window(window)
    {
        if (point.recorded.timeScale > 0) {
            m_perLogSecond = point.phases.front().ratePerS / point.recorded.timeScale;
            return;
        }
        // What comes next in the log ends the stretch. Rows stamped alike with it belong inside all the same.
        m_inside = logArrivals(point, requests);
        m_end = requests * (1 - kSlack) - 2 * kSlack;
        m_perLogSecond = requests / window.at(m_inside);
    }
    Next next() override
    {
        const std::uint64_t i = m_number++;
        const double at = m_window.at(i) * m_perLogSecond;
        return {i < m_inside ? std::min(at, m_end) : at, m_window.row(i), m_window.lap(i)};
    }

private:
    RecordedWindow m_window;
    double m_perLogSecond = 0;
    std::uint64_t m_inside = 0;
    double m_end = 0;
    std::uint64_t m_number = 0;
};

double requestsOf(const std::vector<RateSegment>& segments)
{
    double requests = 0;
    for (const RateSegment& segment : segments)
        requests += segment.requests();
    return requests;
}

/// How many requests a point makes of the log in its own time until it has run so long.
double replayedUntil(const PointPlan& point, const RecordedWindow& window, double seconds)
{
    const double logS =
        requestsBetween(point, 0, seconds) / point.phases.front().ratePerS * point.recorded.timeScale;
    return window.arrivalsBefore(logS) * point.fanOut;
}

/// Of one that the log is stretched to: those of its rate.
double replayedRequests(const PointPlan& point, const RecordedWindow& window)
{
    if (point.recorded.timeScale <= 0)
        return expectedRequests(point).value_or(0);
    const double requests = replayedUntil(point, window, point.warmupS + point.longestWindowS());
    return point.maxRequests > 0 ? std::min(requests, static_cast<double>(point.maxRequests)) : requests;
}

/// The level that is the log's own.
double ownRatePerS(const PointPlan& point, const RecordedWindow& window)
{
    const double endS = point.warmupS + point.longestWindowS();
    const double expected = requestsBetween(point, point.warmupS, endS);
    const double replayed = replayedUntil(point, window, endS) - replayedUntil(point, window, point.warmupS);
    const double own = expected > 0 ? point.load.value * replayed / expected : 0;
    return own > 0 && std::abs(own - point.load.value) > kLevelTolerance * point.load.value ? own : point.load.value;
}

std::unique_ptr<Source> sourceOf(const PointPlan& point, const RecordedTimes* log, double requests)
{
    if (point.process != ArrivalProcess::Recorded)
        return std::make_unique<Drawn>(point);
    if (!log || requests <= 0)
        return nullptr;
    const Result<RecordedWindow> window = RecordedWindow::make(*log, point.recorded, {});
    return window ? std::make_unique<Replayed>(point, window.value(), requests) : nullptr;
}

/// How long it takes from the begin of a segment until `requests` of it have arrived.
double secondsInto(const RateSegment& segment, double requests)
{
    if (requests <= 0)
        return 0; // a segment may begin at no rate at all
    if (segment.fromPerS == segment.toPerS)
        return requests / segment.fromPerS;
    const double slope = (segment.toPerS - segment.fromPerS) / segment.durationS;
    // requests = from·t + slope·t²/2, in the form that loses no digits to a small slope
    const double root = std::sqrt(std::max(0.0, segment.fromPerS * segment.fromPerS + 2 * slope * requests));
    return 2 * requests / (segment.fromPerS + root);
}

Nanoseconds inMicroseconds(double seconds)
{
    return Nanoseconds(std::llround(seconds * 1e6) * 1000);
}

double uniform(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; // inside (0, 1)
}

std::string figure(double value)
{
    if (value >= 1000)
        return keys::exactText(std::round(value));
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

} // namespace

std::vector<Arrival> makeArrivals(const PointPlan& point, const RecordedTimes* log)
{
    const std::vector<RateSegment> segments = rateSegments(point);
    const double requests = requestsOf(segments);
    std::vector<Arrival> arrivals;
    const std::unique_ptr<Source> source = sourceOf(point, log, requests);
    if (!source)
        return arrivals;
    const double expected = expectedRequests(point).value_or(0);
    arrivals.reserve(static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 1));

    Source::Next next = source->next();
    double segmentStart = 0, segmentStartS = 0;
    for (const RateSegment& segment : segments) {
        const double segmentEnd = segmentStart + segment.requests();
        const double segmentEndS = segmentStartS + segment.durationS;
        for (; next.at < segmentEnd - kSlack; next = source->next()) {
            const double seconds = segmentStartS + secondsInto(segment, next.at - segmentStart);
            // rounding must not move it to the end, where nothing is sent any more
            const Nanoseconds intended =
                std::min(inMicroseconds(seconds), inMicroseconds(segmentEndS) - std::chrono::microseconds(1));
            for (int i = 0; i < point.fanOut; ++i) {
                if (point.maxRequests > 0 && arrivals.size() >= static_cast<std::size_t>(point.maxRequests))
                    return arrivals;
                arrivals.push_back({intended, segment.phase, next.row, next.lap});
            }
        }
        segmentStart = segmentEnd;
        segmentStartS = segmentEndS;
    }
    return arrivals;
}

Status checkLog(const PointPlan& point, const RecordedTimes* log, const std::string& file)
{
    static const RecordedTimes nothing;
    const RecordedTimes& times = log ? *log : nothing;
    if (point.openLoop() && point.process == ArrivalProcess::Recorded) {
        const Result<RecordedWindow> window = RecordedWindow::make(times, point.recorded, file);
        if (!window)
            return window.error();
        const double requests = replayedRequests(point, window.value());
        if (requests > kMaxRequestsPerPoint)
            return Error{ErrorCode::BadInput, file,
                         "at time_scale " + figure(point.recorded.timeScale) + " the log makes " + figure(requests) +
                             " requests in one point (" +
                             figure(window.value().ratePerS() * point.recorded.timeScale * point.fanOut) +
                             "/s on average); at most " + figure(kMaxRequestsPerPoint)};
        return success();
    }
    if (!point.openLoop() && point.thinkTime == ThinkTime::Trace && times.thinkTimes.empty())
        return Error{ErrorCode::BadInput, file, "tells no think times, which think_time \"trace\" needs"};
    return success();
}

PointPlan atOwnRate(const PointPlan& point, const RecordedTimes& log)
{
    if (!point.openLoop() || point.process != ArrivalProcess::Recorded || point.recorded.timeScale <= 0)
        return point;
    const Result<RecordedWindow> window = RecordedWindow::make(log, point.recorded, {});
    if (!window)
        return point;
    PointPlan placed = point;
    placed.load.value = ownRatePerS(point, window.value());
    for (Phase& phase : placed.phases)
        phase.ratePerS *= placed.load.value / point.load.value;
    return placed;
}

std::vector<std::string> recordedRemarks(const std::vector<PointPlan>& points, const RecordedTimes& log,
                                         const std::string& file)
{
    std::vector<std::string> remarks;
    double mostRepeats = 1;
    std::uint64_t rows = 0;
    for (const PointPlan& point : points) {
        if (!point.openLoop() || point.process != ArrivalProcess::Recorded)
            continue;
        const Result<RecordedWindow> window = RecordedWindow::make(log, point.recorded, file);
        if (!window)
            continue;
        if (log.grid && remarks.empty())
            remarks.push_back(file + ": arrivals sat on a clock's grid of about " + figure(toSeconds(*log.grid)) +
                              " s; recorded arrivals are spread evenly inside their tick");
        double needed = static_cast<double>(logArrivals(point, requestsOf(rateSegments(point))));
        if (point.recorded.timeScale > 0) {
            const double rate = ownRatePerS(point, window.value());
            if (rate != point.load.value)
                remarks.push_back(file + ": at time_scale " + figure(point.recorded.timeScale) + " the log offers " +
                                  figure(rate) + " requests/s in the window, where " + point.test +
                                  " stands, not at " + figure(point.load.value) + "/s");
            needed = window.value().ratePerS() * point.recorded.timeScale * (point.warmupS + point.durationS);
        }
        rows = window.value().rows();
        mostRepeats = std::max(mostRepeats, needed / static_cast<double>(rows));
    }
    if (mostRepeats > 1)
        remarks.push_back(file + ": the recorded stretch of " + std::to_string(rows) +
                          " arrivals is shorter than a point, which repeats it up to " + figure(mostRepeats) +
                          " times");
    return remarks;
}

Nanoseconds thinkTime(const PointPlan& point, std::uint32_t request, const RecordedTimes* log)
{
    // The first request of each worker starts without a pause.
    if (request < static_cast<std::uint32_t>(point.concurrency))
        return Nanoseconds{0};
    const std::uint64_t bits = deriveSeed(point.seeds.thinkTimes, request);
    if (point.thinkTime == ThinkTime::Trace) {
        if (!log || log->thinkTimes.empty())
            return Nanoseconds{0};
        // The high half of the product maps 32 random bits onto the times without a division.
        const Nanoseconds told = log->thinkTimes[((bits >> 32) * log->thinkTimes.size()) >> 32];
        return point.thinkTimeS > 0 ? fromSeconds(toSeconds(told) * point.thinkTimeS / log->meanThinkTimeS) : told;
    }
    if (point.thinkTimeS <= 0)
        return Nanoseconds{0};
    if (point.thinkTime == ThinkTime::Constant)
        return fromSeconds(point.thinkTimeS);
    return fromSeconds(-exactLog(uniform(bits)) * point.thinkTimeS);
}

std::vector<Nanoseconds> workerStarts(const PointPlan& point)
{
    std::vector<Nanoseconds> starts(static_cast<std::size_t>(point.concurrency), Nanoseconds(0));
    if (starts.size() < 2)
        return starts;
    for (std::size_t worker = 0; worker < starts.size(); ++worker) {
        const std::uint64_t bits = deriveSeed(point.seeds.thinkTimes, worker, 1);
        starts[worker] = inMicroseconds(uniform(bits) * point.warmupS / 2);
    }
    return starts;
}

} // namespace tailmark
