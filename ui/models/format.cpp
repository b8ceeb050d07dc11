// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/format.h"

#include "base/percentile_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("Format", source);
}

/// Between number and unit: a space that does not break.
constexpr QChar kUnitSpace(0x00a0);

} // namespace

QString absentText()
{
    return QStringLiteral("–");
}

QString formatNumber(double value, int digits)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? absentText() : value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    if (value == 0)
        return QLocale().toString(0);
    const int before = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
    const int decimals = std::clamp(digits - before, 0, 12);
    QString number = QLocale().toString(value, 'f', decimals);
    const QString point = QLocale().decimalPoint();
    if (number.contains(point)) {
        const QString zero = QLocale().zeroDigit();
        while (number.endsWith(zero))
            number.chop(1);
        if (number.endsWith(point))
            number.chop(point.size());
    }
    return number;
}

QString formatNumber(std::optional<double> value, int digits)
{
    return value ? formatNumber(*value, digits) : absentText();
}

QString formatCount(std::uint64_t count)
{
    return QLocale().toString(static_cast<qulonglong>(count));
}

QString formatEstimate(double count)
{
    const QLocale locale;
    if (std::abs(count) < 100'000)
        return locale.toString(std::llround(count));
    if (std::abs(count) < 1e6)
        return tr("%1 k").arg(locale.toString(std::llround(count / 1e3)));
    if (std::abs(count) < 1e9)
        return tr("%1 M").arg(locale.toString(count / 1e6, 'f', 1));
    return tr("%1 G").arg(locale.toString(count / 1e9, 'f', 1));
}

QString formatValue(std::optional<double> value, std::string_view unit, int digits)
{
    const QString number = formatNumber(value, digits);
    return !value || unit.empty() ? number : number + kUnitSpace + text(unit);
}

QString formatMetric(Metric metric, std::optional<double> value)
{
    return metric == Metric::SloAttainment ? formatShare(value) : formatValue(value, metricInfo(metric).unit);
}

QString metricUnit(Metric metric)
{
    return metric == Metric::SloAttainment ? QStringLiteral("%") : text(metricInfo(metric).unit);
}

QString withUnit(const QString& name, Metric metric)
{
    const QString unit = metricUnit(metric);
    return unit.isEmpty() ? name : QStringLiteral("%1 [%2]").arg(name, unit);
}

QString metricHead(Metric metric)
{
    return withUnit(text(metricInfo(metric).abbreviation), metric);
}

QString formatShare(std::optional<double> share)
{
    if (!share)
        return absentText();
    // 99.97 % must not read as 100 %: a share just below one keeps its distance visible.
    const double percent = *share * 100;
    const int digits = percent > 99 && percent < 100 ? 5 : 3;
    return formatNumber(percent, digits) + kUnitSpace + QLatin1Char('%');
}

QString formatChange(std::optional<double> change)
{
    if (!change)
        return absentText();
    const QString sign = *change > 0 ? QStringLiteral("+") : *change < 0 ? QStringLiteral("−") : QString();
    return sign + formatNumber(std::fabs(*change) * 100, 3) + kUnitSpace + QLatin1Char('%');
}

QString formatRatio(std::optional<double> ratio)
{
    return ratio ? formatNumber(*ratio, 3) + QChar(0x00d7) : absentText();
}

QString formatInterval(const std::optional<Interval>& interval, std::string_view unit)
{
    if (!interval)
        return absentText();
    return QStringLiteral("%1 – %2").arg(formatNumber(interval->low), formatValue(interval->high, unit));
}

QString formatSeconds(double seconds)
{
    return formatValue(seconds, "s", 12);
}

QString formatDuration(double seconds)
{
    const qint64 whole = std::llround(std::max(0.0, seconds));
    if (whole < 100)
        return tr("%1 s").arg(whole);
    const qint64 minutes = std::llround(seconds / 60);
    if (minutes < 60)
        return tr("%1 min").arg(minutes);
    return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0'));
}

QString formatInstant(const std::string& utc)
{
    const QDateTime time = QDateTime::fromString(text(utc), Qt::ISODateWithMs);
    return time.isValid() ? QLocale().toString(time.toLocalTime(), QLocale::ShortFormat) : text(utc);
}

QString formatLoad(const Load& load)
{
    return load.axis == LoadAxis::Concurrency ? tr("%1 concurrent").arg(formatLoadValue(load))
                                              : tr("%1 req/s").arg(formatLoadValue(load));
}

QString formatLoadValue(const Load& load)
{
    return formatNumber(load.value, 3);
}

QString loadAxisTitle(LoadAxis axis)
{
    return axis == LoadAxis::Concurrency ? tr("concurrency") : tr("arrival rate (1/s)");
}

QString percentileName(double percent)
{
    return text(percentileText(percent));
}

QString quantileName(Metric metric, double percent)
{
    return percentileName(percent) + QLatin1Char(' ') + text(metricInfo(metric).abbreviation);
}

QString formatEditable(double value)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    const bool plain = value == 0 || (std::abs(value) >= 1e-4 && std::abs(value) < 1e15);
    return locale.toString(value, plain ? 'f' : 'g', QLocale::FloatingPointShortest);
}

std::optional<double> parseNumber(QStringView text)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::RejectGroupSeparator);
    QLocale plain = QLocale::c();
    plain.setNumberOptions(QLocale::RejectGroupSeparator);
    for (const QLocale& each : {locale, plain}) {
        bool ok = false;
        const double value = each.toDouble(text.trimmed(), &ok);
        if (ok && std::isfinite(value))
            return value;
    }
    return std::nullopt;
}

} // namespace tailmark::ui
