// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tables.h"

#include "analysis/foreign_summary.h"
#include "models/format.h"
#include "report/told.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("Tables", source);
}

Cell number(std::optional<double> value, const QString& toolTip = {}, int digits = 4)
{
    return {formatNumber(value, digits), value ? QVariant(*value) : QVariant(-HUGE_VAL), toolTip,
            Badge::None};
}

Cell count(std::uint64_t n, const QString& toolTip = {})
{
    return {formatCount(n), static_cast<double>(n), toolTip, Badge::None};
}

Cell count(const std::optional<std::uint64_t>& n, const QString& toolTip)
{
    return n ? count(*n, toolTip) : Cell{absentText(), -HUGE_VAL, toolTip, Badge::None};
}

/// Name, formula and note of a metric, for a tooltip.
QString definition(Metric metric)
{
    const MetricInfo& info = metricInfo(metric);
    return QStringLiteral("%1\n%2").arg(text(info.title), text(info.definition));
}

struct QuantileColumn
{
    Metric metric;
    double percent;
    bool operator==(const QuantileColumn&) const = default;
};

Cell quantileCell(const PointSummary& s, const QuantileColumn& column)
{
    const Distribution* d = s.distribution(column.metric);
    const Distribution::Quantile* q = d ? d->at(column.percent) : nullptr;
    if (!q)
        return {absentText(), -HUGE_VAL, tr("No successful request of this point has this value."),
                Badge::None};
    QStringList tip{QStringLiteral("%1 = %2").arg(quantileName(column.metric, column.percent),
                                                  formatMetric(column.metric, q->value)),
                    tr("%1 samples").arg(formatCount(d->n))};
    if (q->ci95)
        tip << tr("95 % interval %1").arg(formatInterval(q->ci95, metricInfo(column.metric).unit));
    if (q->weak)
        tip << tr("Weak: fewer than 10 values lie above it");
    if (const auto failures = failuresOf(s.outcomes))
        tip << tr("%1 failed requests are not in it").arg(formatCount(failures));
    QString shown = formatNumber(q->value);
    if (q->weak)
        shown += QLatin1Char(' ') + tr("weak");
    return {shown, q->value, tip.join(QLatin1Char('\n')), Badge::None};
}

Cell rateCell(const PointSummary& s, Metric metric)
{
    const auto value = s.rate(metric);
    QStringList tip{
        QStringLiteral("%1 = %2").arg(text(metricInfo(metric).title), formatMetric(metric, value)),
        tr("%1 completed requests in the window").arg(formatCount(s.count(Outcome::Completed)))};
    if (const auto interval = s.rateIntervals.find(metric); interval != s.rateIntervals.end())
        tip << tr("95 % interval %1").arg(formatInterval(interval->second, metricInfo(metric).unit));
    return number(value, tip.join(QLatin1Char('\n')));
}

QString outcomeTip(const PointSummary& s)
{
    QStringList lines;
    for (int i = 0; i < kOutcomeCount; ++i)
        if (s.outcomes[static_cast<std::size_t>(i)] > 0)
            lines << QStringLiteral("%1: %2").arg(text(outcomeId(static_cast<Outcome>(i))),
                                                  formatCount(s.outcomes[static_cast<std::size_t>(i)]));
    return lines.join(QLatin1Char('\n'));
}

QString outcomeMeaning(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Completed:
        return tr("Ended properly with at least one token");
    case Outcome::Rejected:
        return tr("Refused for load: 429, 503, or the same told inside the stream");
    case Outcome::ClientError:
        return tr("Refused as wrong: another 4xx");
    case Outcome::ServerError:
        return tr("5xx, or an error object in the stream");
    case Outcome::ConnectFailed:
        return tr("No connection");
    case Outcome::TimeoutConnect:
        return tr("No connection within the limit");
    case Outcome::TimeoutFirstToken:
        return tr("No token within the limit");
    case Outcome::TimeoutStall:
        return tr("Silent for too long inside the stream");
    case Outcome::TimeoutTotal:
        return tr("Not over within the total limit");
    case Outcome::Truncated:
        return tr("The stream broke off without a finish reason");
    case Outcome::Malformed:
        return tr("Not an event stream, or unreadable");
    case Outcome::NoContent:
        return tr("Ended properly without a token");
    case Outcome::Cancelled:
        return tr("Cut off by the end of the point or by the user");
    case Outcome::NotSent:
        return tr("The generator could not send it in time");
    }
    return {};
}

} // namespace

std::uint64_t failuresOf(const std::array<std::uint64_t, kOutcomeCount>& outcomes)
{
    std::uint64_t failures = 0;
    for (int i = 0; i < kOutcomeCount; ++i)
        if (const auto o = static_cast<Outcome>(i); o != Outcome::Completed && o != Outcome::Cancelled)
            failures += outcomes[static_cast<std::size_t>(i)];
    return failures;
}

QString pointName(const PointPlan& point)
{
    QString name = point.kind == TestKind::BurstRecovery ? text(point.test) : formatLoad(point.load);
    if (point.repeat > 0)
        name = tr("%1, repeat %2").arg(name).arg(point.repeat + 1);
    return name;
}

QString verdictName(const Verdict& verdict)
{
    if (verdict.valid)
        return isChecked(verdict) ? tr("valid") : tr("not checked");
    QStringList names;
    for (const VerdictReason& reason : verdict.reasons)
        names << text(reason.code).replace(QLatin1Char('_'), QLatin1Char(' '));
    return names.isEmpty() ? tr("invalid") : names.join(QStringLiteral(", "));
}

QString verdictText(const Verdict& verdict)
{
    QStringList lines;
    for (const VerdictReason& reason : verdict.reasons)
        lines << text(reason.text);
    if (lines.isEmpty())
        return verdict.valid ? tr("This point may be believed: no check found a reason not to.")
                             : tr("Invalid");
    return lines.join(QLatin1Char('\n'));
}

Badge verdictBadge(const Verdict& verdict)
{
    if (verdict.valid && !isChecked(verdict))
        return Badge::Neutral;
    return verdict.valid ? Badge::Good : Badge::Warning;
}

QString whyNoPoints(const RunResults& results, const std::string& test)
{
    const auto isOfTest = [&](const auto& each) { return each.point.test == test; };
    if (std::any_of(results.points.begin(), results.points.end(), isOfTest))
        return {};
    return results.run.info.state == RunState::Running
               ? tr("Not measured yet: no point of this test is finished. The run goes on.")
               : tr("No point of this test was measured before the run ended.");
}

Table pointsTable(const RunResults& results, const std::string& test)
{
    std::vector<const PointSummary*> points;
    bool open = false, closed = false, repeats = false;
    for (const PointSummary& s : results.points) {
        if (!test.empty() && s.point.test != test)
            continue;
        points.push_back(&s);
        (s.point.openLoop() ? open : closed) = true;
        repeats = repeats || s.point.repeat > 0;
    }
    // Right of a throughput stands the latency it was had at: what the SLO limits, else the headline's p99.
    QList<QuantileColumn> headline, further;
    const auto addOnce = [&](QList<QuantileColumn>& list, const QuantileColumn& column) {
        if (!headline.contains(column) && !further.contains(column))
            list << column;
    };
    for (const SloLimit& limit : results.slo)
        if (const auto metric = metricFromId(limit.metric))
            addOnce(headline, {*metric, limit.percentile});
    const bool limited = !headline.isEmpty();
    for (const auto& [shown, metric] :
         {std::pair{closed || !open, Metric::Ttft}, std::pair{open, Metric::TtftIntended}})
        if (shown)
            for (const double percent : {99.0, 50.0})
                addOnce(percent == 99 && !limited ? headline : further, {metric, percent});
    for (const QuantileColumn& column : {QuantileColumn{Metric::Tpot, 50},
                                         {Metric::Tpot, 99},
                                         {Metric::E2e, 50},
                                         {Metric::E2e, 99},
                                         {Metric::OutputTokensPerSUser, 50}})
        addOnce(further, column);
    const QList<Metric> good{Metric::GoodputRequestsPerS, Metric::SloAttainment};

    Table table;
    const auto metricColumn = [&](Metric m) { table.columns << Column{metricHead(m), definition(m), true}; };
    const auto quantileColumn = [&](const QuantileColumn& q) {
        table.columns << Column{withUnit(quantileName(q.metric, q.percent), q.metric), definition(q.metric),
                                true};
    };
    if (test.empty())
        table.columns << Column{tr("Test"), {}, false};
    table.columns << Column{tr("Load"),
                            tr("Workers that each wait for their answer, or requests per second."), true};
    if (repeats)
        table.columns << Column{tr("Repeat"), {}, true};
    table.columns << Column{tr("Verdict"),
                            tr("May this point be believed? The reasons stand in the tooltip."), false};
    metricColumn(Metric::OutputTokensPerS);
    for (const QuantileColumn& q : headline)
        quantileColumn(q);
    metricColumn(Metric::RequestsPerS);
    for (Metric m : good)
        metricColumn(m);
    table.columns
        << Column{tr("Completed"), tr("Requests intended in the window that completed."), true}
        << Column{
               tr("Failed"),
               tr("Requests intended in the window that failed or were never sent. They enter no latency."),
               true};
    for (const QuantileColumn& q : further)
        quantileColumn(q);
    table.columns << Column{tr("In flight"), tr("Mean number of requests in flight over the window."), true};
    quantileColumn({Metric::SendLag, 99});

    for (const PointSummary* s : points) {
        QList<Cell> row;
        if (test.empty())
            row << Cell{text(s->point.test), {}, {}, Badge::None};
        row << Cell{formatLoad(s->point.load), s->point.load.value, {}, Badge::None};
        if (repeats)
            row << count(static_cast<std::uint64_t>(s->point.repeat + 1));
        row << Cell{verdictName(s->verdict), {}, verdictText(s->verdict), verdictBadge(s->verdict)};
        row << rateCell(*s, Metric::OutputTokensPerS);
        for (const QuantileColumn& q : headline)
            row << quantileCell(*s, q);
        row << rateCell(*s, Metric::RequestsPerS) << rateCell(*s, Metric::GoodputRequestsPerS);
        row << Cell{formatShare(s->slo.denominator > 0 && s->slo.measured() ? std::optional(s->slo.attainment) : std::nullopt),
                    s->slo.attainment * 100,
                    tr("%1 of %2 requests").arg(formatCount(s->slo.good), formatCount(s->slo.denominator)),
                    s->slo.denominator == 0 || results.slo.empty() || !s->slo.decided() ? Badge::None
                    : s->slo.met                                                        ? Badge::Good
                                                                                        : Badge::Bad};
        // Of a run of another tool what its file tells.
        const ForeignFigures* told = toldOf(results, *s);
        row << count(countOf(results, *s, Outcome::Completed), outcomeTip(*s));
        Cell failures = count(told ? told->failed : std::optional(failuresOf(s->outcomes)), outcomeTip(*s));
        failures.badge = failures.sort.toDouble() > 0 ? Badge::Bad : Badge::None;
        row << failures;
        for (const QuantileColumn& q : further)
            row << quantileCell(*s, q);
        row << number(std::isfinite(s->meanInFlight) ? std::optional(s->meanInFlight) : std::nullopt, {}, 3) << quantileCell(*s, {Metric::SendLag, 99});
        table.rows << row;
        table.ids << s->point.index.value;
    }
    return table;
}

Table metricsTable(const PointSummary& point)
{
    Table table;
    table.columns = {{tr("Metric"), {}, false},
                     {tr("Unit"), {}, false},
                     {tr("Samples"), {}, true},
                     {tr("Mean"), {}, true},
                     {tr("Min"), {}, true}};
    QList<double> percents;
    for (const auto& [metric, d] : point.metrics)
        for (const auto& q : d.quantiles)
            if (!percents.contains(q.percent))
                percents.append(q.percent);
    std::sort(percents.begin(), percents.end());
    for (double p : percents)
        table.columns << Column{percentileName(p), tr("Nearest rank, exact values, no interpolation."), true};
    table.columns << Column{tr("Max"), {}, true};
    for (const auto& [metric, d] : point.metrics) {
        if (d.n == 0)
            continue;
        QList<Cell> row{Cell{text(metricInfo(metric).title), {}, definition(metric), Badge::None},
                        Cell{metricUnit(metric), {}, {}, Badge::None}, count(d.n), number(d.mean),
                        number(d.min)};
        for (double p : percents)
            row << quantileCell(point, {metric, p});
        row << number(d.max);
        table.rows << row;
    }
    return table;
}

Table outcomesTable(const PointSummary& point)
{
    Table table;
    table.columns = {{tr("Outcome"), {}, false},
                     {tr("In the window"), tr("Requests whose intended start lies in the window."), true},
                     {tr("Share"), {}, true},
                     {tr("Whole point"), tr("Warm-up and drain included."), true},
                     {tr("Meaning"), {}, false}};
    double all = 0;
    for (std::uint64_t n : point.outcomes)
        all += static_cast<double>(n);
    for (int i = 0; i < kOutcomeCount; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        const std::uint64_t window = point.outcomes[static_cast<std::size_t>(i)];
        const std::uint64_t whole = point.outcomesOfPoint[static_cast<std::size_t>(i)];
        if (whole == 0 && outcome != Outcome::Completed)
            continue;
        // How many of another tool's requests failed in which way is not told.
        const std::optional<double> share = !isChecked(point.verdict) ? std::nullopt
                                            : all > 0 ? std::optional(static_cast<double>(window) / all)
                                                      : std::optional(0.0);
        table.rows << QList<Cell>{Cell{text(outcomeId(outcome)),
                                       {},
                                       outcomeMeaning(outcome),
                                       outcome == Outcome::Completed   ? Badge::Good
                                       : outcome == Outcome::Cancelled ? Badge::Neutral
                                                                       : Badge::Bad},
                                  count(window), Cell{formatShare(share), share.value_or(-HUGE_VAL), {}, Badge::None},
                                  count(whole), Cell{outcomeMeaning(outcome), {}, {}, Badge::None}};
    }
    return table;
}

Table lawsTable(const PointSummary& point)
{
    Table table;
    table.columns = {{tr("Law"), {}, false},
                     {tr("Expected"), {}, true},
                     {tr("Observed"), {}, true},
                     {tr("Difference"), tr("(observed − expected) / expected"), true},
                     {tr("With the figures put in"), {}, false}};
    const auto name = [](const std::string& law) {
        if (law == "little")
            return tr("Little's law");
        if (law == "closed_loop")
            return tr("Closed loop");
        if (law == "backlog")
            return tr("Backlog growth");
        if (law == "engine_tokens")
            return tr("Engine's tokens");
        if (law == "speculation")
            return tr("Speculative decoding");
        return text(law).replace(QLatin1Char('_'), QLatin1Char(' '));
    };
    for (const LawCheck& law : point.laws)
        table.rows << QList<Cell>{
            Cell{name(law.law), {}, {}, Badge::None}, number(law.expected), number(law.observed),
            Cell{formatChange(law.relativeDifference), law.relativeDifference, {}, Badge::None},
            Cell{text(law.text), {}, {}, Badge::None}};
    return table;
}

Table constraintsTable(const PointSummary& point)
{
    Table table;
    table.columns = {
        {tr("Limit"), {}, false},
        {tr("Measured"), {}, true},
        {tr("Within it"), tr("Share of the failure denominator that succeeded within the limit."), true},
        {tr("Met"), {}, false}};
    for (const ConstraintResult& c : point.slo.constraints) {
        const auto metric = metricFromId(c.limit.metric);
        table.rows << QList<Cell>{
            Cell{text(sloSentence(c.limit)), {}, {}, Badge::None},
            Cell{metric ? formatMetric(*metric, c.value) : formatNumber(c.value),
                 c.value ? QVariant(*c.value) : QVariant(),
                 {},
                 Badge::None},
            Cell{formatShare(c.withinShare), c.withinShare, {}, Badge::None},
            !c.measured ? Cell{tr("not known"), {}, {}, Badge::None}
                        : Cell{c.met ? tr("met") : tr("missed"), {}, {}, c.met ? Badge::Good : Badge::Bad}};
    }
    return table;
}

Table timelineTable(const TimelineData& data)
{
    Table table;
    table.columns = {{tr("From [s]"), {}, true},
                     {tr("Offered [1/s]"), {}, true},
                     {tr("Sent [1/s]"), {}, true},
                     {tr("Accepted [1/s]"), {}, true},
                     {tr("Completed [1/s]"), {}, true},
                     {tr("Failed [1/s]"), {}, true},
                     {tr("In flight"), tr("At the end of the interval."), true},
                     {tr("Backlog"), tr("Intended and not yet ended, at the end of the interval."), true}};
    if (!data.server.isEmpty())
        table.columns
            << Column{tr("Engine running"), tr("By its own counter, last told in the interval."), true}
            << Column{tr("Engine waiting"), tr("By its own counter, last told in the interval."), true}
            << Column{tr("KV cache [%]"), tr("By its own counter, last told in the interval."), true};
    for (const TimelineBin& bin : data.bins) {
        QList<Cell> row{number(bin.startS),       number(bin.offeredPerS),   number(bin.sentPerS),
                        number(bin.acceptedPerS), number(bin.completedPerS), number(bin.failedPerS),
                        number(bin.inFlight),     number(bin.backlog)};
        TimelineData::ServerState told;
        for (const TimelineData::ServerState& state : data.server)
            if (state.atS >= bin.startS && state.atS < bin.startS + data.binS)
                told = state;
        if (!data.server.isEmpty())
            row << number(told.running) << number(told.waiting) << number(told.kvUsePercent);
        table.rows << row;
    }
    return table;
}

} // namespace tailmark::ui
