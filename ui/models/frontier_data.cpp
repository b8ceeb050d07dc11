// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/frontier_data.h"

#include "analysis/bound.h"
#include "models/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("Frontier", source);
}

std::optional<double> capacity(const CapacityAt& at, Metric x)
{
    switch (x) {
    case Metric::OutputTokensPerS:
        return at.outputTokensPerS;
    case Metric::RequestsPerS:
        return at.requestsPerS;
    case Metric::GoodputRequestsPerS:
        return at.goodputRequestsPerS;
    default:
        return std::nullopt;
    }
}

std::optional<double> capacity(const std::optional<CapacityAt>& at, Metric x)
{
    return at ? capacity(*at, x) : std::nullopt;
}

QString detailsOf(const PointSummary& s, const FrontierAxes& axes, const Distribution::Quantile& q,
                  std::size_t n)
{
    QStringList lines;
    lines << (s.point.repeat > 0 ? tr("%1, repeat %2").arg(formatLoad(s.point.load)).arg(s.point.repeat + 1)
                                 : formatLoad(s.point.load));
    lines << QStringLiteral("%1: %2").arg(text(metricInfo(axes.x).title),
                                          formatMetric(axes.x, s.rate(axes.x)));
    QString latency =
        QStringLiteral("%1: %2").arg(quantileName(axes.y, axes.percent), formatMetric(axes.y, q.value));
    if (q.ci95)
        latency += tr(" (95 %: %1)").arg(formatInterval(q.ci95, metricInfo(axes.y).unit));
    lines << latency;
    lines << (q.weak ? tr("%1 samples, weak for %2").arg(formatCount(n), percentileName(axes.percent))
                     : tr("%1 samples").arg(formatCount(n)));
    if (s.slo.denominator > 0 && s.slo.measured())
        lines << tr("%1 of requests within the SLO").arg(formatShare(s.slo.attainment));
    for (const VerdictReason& reason : s.verdict.reasons)
        lines << tr("Not to be believed: %1").arg(text(reason.text));
    return lines.join(QLatin1Char('\n'));
}

bool isOn(const SloLimit& limit, const FrontierAxes& axes)
{
    return limit.metric == metricInfo(axes.y).id && limit.percentile == axes.percent;
}

double median(QList<double> values)
{
    std::sort(values.begin(), values.end());
    const qsizetype half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Where the crossing stands in words: load, throughput, and the latency it was had at.
QString crossingLabel(const CapacityAt& at, LoadAxis axis, const FrontierAxes& axes, const OperatingPoint& op)
{
    QString label = formatLoad({axis, at.load});
    if (const auto x = capacity(at, axes.x))
        label += QStringLiteral(" · ") + formatMetric(axes.x, x);
    if (op.failing) {
        if (const auto metric = metricFromId(op.failing->metric))
            label += tr(" at %1 = %2")
                         .arg(quantileName(*metric, op.failing->percentile),
                              formatMetric(*metric, op.failing->limit));
    }
    return label;
}

std::optional<FrontierMark> markOf(const OperatingPoint& op, const FrontierAxes& axes)
{
    FrontierMark mark;
    const auto low = capacity(op.lastPassing, axes.x), high = capacity(op.firstFailing, axes.x);
    if (low && high)
        mark.bracket = Interval{std::min(*low, *high), std::max(*low, *high)};
    if (op.state == OperatingState::Ambiguous) {
        for (const CapacityAt& at : op.crossings)
            if (const auto x = capacity(at, axes.x))
                mark.crossings.append(*x);
        mark.label = tr("%1 crossings: not a single operating point").arg(op.crossings.size());
    } else if (op.state == OperatingState::Found && op.crossing) {
        if (const auto x = capacity(*op.crossing, axes.x))
            mark.crossings.append(*x);
        mark.label = crossingLabel(*op.crossing, op.axis, axes, op);
        if (axes.x == Metric::OutputTokensPerS)
            if (const auto& uncertain = op.crossingTokensPerS)
                mark.uncertain = Interval{uncertain->low, uncertain->high};
    }
    if (!mark.bracket && mark.crossings.isEmpty())
        return std::nullopt;
    return mark;
}

/// One that is far off says only that, and would press the curve against the axis: such levels are left out.
QList<QPointF> boundOf(const RunResults& results, const std::string& test, const FrontierSeries& series)
{
    constexpr double kMostRoom = 2;
    const BoundFigures figures = boundFiguresOf(results);
    QList<QPointF> line;
    if (!figures.known())
        return line;
    double furthest = 0;
    for (const FrontierPoint& p : series.points)
        furthest = std::max(furthest, p.x);
    for (const PointSummary& s : results.points) {
        if (s.point.test != test || !s.verdict.valid || s.point.repeat > 0)
            continue;
        const auto check = checkBound(figures, s);
        const auto shown = std::find_if(series.points.begin(), series.points.end(),
                                        [&](const FrontierPoint& p) { return p.point == s.point.index; });
        if (check && shown != series.points.end() && check->tokensPerS() <= kMostRoom * furthest)
            line.append({check->tokensPerS(), shown->y});
    }
    return line;
}

} // namespace

FrontierSeries frontierSeries(const RunResults& results, const std::string& test, const FrontierAxes& axes)
{
    FrontierSeries series;
    struct Level
    {
        QList<double> x, y;
    };
    std::map<double, Level> levels;
    for (const PointSummary& s : results.points) {
        if (s.point.test != test)
            continue;
        const auto x = s.rate(axes.x);
        const Distribution* d = s.distribution(axes.y);
        const Distribution::Quantile* q = d ? d->at(axes.percent) : nullptr;
        if (!x || !q || !std::isfinite(*x) || !std::isfinite(q->value)) {
            ++series.hidden;
            continue;
        }
        FrontierPoint p;
        p.point = s.point.index;
        p.load = s.point.load;
        p.x = *x;
        p.y = q->value;
        p.interval = q->ci95;
        p.valid = s.verdict.valid;
        p.passes = s.slo.met;
        p.details = detailsOf(s, axes, *q, d->n);
        series.points.append(p);
        if (p.valid) {
            levels[s.point.load.value].x.append(p.x);
            levels[s.point.load.value].y.append(p.y);
        }
    }
    std::stable_sort(
        series.points.begin(), series.points.end(),
        [](const FrontierPoint& a, const FrontierPoint& b) { return a.load.value < b.load.value; });
    for (const auto& [load, level] : levels)
        series.line.append({median(level.x), median(level.y)});
    if (axes.x == Metric::OutputTokensPerS)
        series.bound = boundOf(results, test, series);
    if (const OperatingPoint* op = operatingPointOf(results, test))
        series.mark = markOf(*op, axes);
    return series;
}

QStringList testsOf(const Plan& plan)
{
    QStringList names;
    for (const PointPlan& p : plan.points)
        if (const QString name = text(p.test); !names.contains(name))
            names.append(name);
    return names;
}

FrontierAxes defaultAxes(const Plan& plan, const Slo& slo, const std::string& test)
{
    FrontierAxes axes;
    for (const PointPlan& p : plan.points)
        if (p.test == test) {
            axes.y = headlineMetric(p.openLoop());
            break;
        }
    const SloLimit* chosen = nullptr;
    for (const SloLimit& limit : slo) {
        const auto metric = metricFromId(limit.metric);
        if (!metric || !latencyMetrics().contains(*metric))
            continue;
        if (!chosen || *metric == axes.y)
            chosen = &limit;
        if (*metric == axes.y)
            break;
    }
    if (chosen) {
        axes.y = *metricFromId(chosen->metric);
        axes.percent = chosen->percentile;
    }
    return axes;
}

QList<Metric> throughputMetrics()
{
    return {Metric::OutputTokensPerS, Metric::RequestsPerS, Metric::GoodputTokensPerS,
            Metric::GoodputRequestsPerS};
}

QList<Metric> latencyMetrics()
{
    return {Metric::Ttft, Metric::TtftIntended, Metric::Tpot,       Metric::ChunkGap,
            Metric::Itl,  Metric::E2e,          Metric::E2eIntended};
}

QList<double> percentiles(const Slo& slo)
{
    QList<double> all{50, 90, 95, 99};
    for (const SloLimit& limit : slo)
        if (!all.contains(limit.percentile))
            all.append(limit.percentile);
    std::sort(all.begin(), all.end());
    return all;
}

std::optional<double> limitOn(const Slo& slo, const FrontierAxes& axes)
{
    for (const SloLimit& limit : slo)
        if (isOn(limit, axes))
            return limit.limit;
    return std::nullopt;
}

Slo withLimit(const Slo& slo, const FrontierAxes& axes, double value)
{
    Slo changed = slo;
    for (SloLimit& limit : changed)
        if (isOn(limit, axes)) {
            limit.limit = value;
            return changed;
        }
    changed.push_back({std::string(metricInfo(axes.y).id), axes.percent, value});
    return changed;
}

Slo withoutLimit(const Slo& slo, const FrontierAxes& axes)
{
    Slo changed = slo;
    std::erase_if(changed, [&](const SloLimit& limit) { return isOn(limit, axes); });
    return changed;
}

QString sloText(const Slo& slo)
{
    QStringList sentences;
    for (const SloLimit& limit : slo)
        sentences << text(sloSentence(limit));
    return sentences.join(QStringLiteral("; "));
}

const OperatingPoint* operatingPointOf(const RunResults& results, const std::string& test)
{
    const auto found = std::find_if(results.operatingPoints.begin(), results.operatingPoints.end(),
                                    [&](const OperatingPoint& op) { return op.test == test; });
    return found == results.operatingPoints.end() ? nullptr : &*found;
}

} // namespace tailmark::ui
