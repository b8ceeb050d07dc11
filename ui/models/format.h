// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/metrics.h"
#include "analysis/quantile.h"
#include "plan/plan.h"

#include <QString>
#include <QStringView>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailmark::ui {

// The one place that turns values into text for the screen, and what is typed there into values: the user's
// locale, significant digits, units. Files are written by core/report in the C locale. Any thread.

/// What stands where a value is absent.
QString absentText();

/// `digits` significant digits, never fewer than all digits before the decimal point, grouped as the locale
/// does.
QString formatNumber(double value, int digits = 4);
QString formatNumber(std::optional<double> value, int digits = 4);
QString formatCount(std::uint64_t count);
/// A count that may be an estimate: "840", "12,400", "3.1 M".
QString formatEstimate(double count);
/// Number and unit, "1,450 ms"; the unit may be empty.
QString formatValue(std::optional<double> value, std::string_view unit, int digits = 4);
/// By the unit of the catalogue; the attainment as a percentage.
QString formatMetric(Metric metric, std::optional<double> value);
/// The unit for column heads and axes, "%" for the attainment.
QString metricUnit(Metric metric);
/// "p99 TTFT" -> "p99 TTFT [ms]"
QString withUnit(const QString& name, Metric metric);
/// "TTFT [ms]"
QString metricHead(Metric metric);
/// 0.123 -> "12.3 %"
QString formatShare(std::optional<double> share);
/// +0.25 -> "+25 %", with its sign.
QString formatChange(std::optional<double> change);
/// 1.25 -> "1.25×"
QString formatRatio(std::optional<double> ratio);
QString formatInterval(const std::optional<Interval>& interval, std::string_view unit = {});
/// A time that somebody set, as it was set: "1.5 s".
QString formatSeconds(double seconds);
/// To the precision that an estimate deserves: "45 s", "11 min", "2 h 05 min".
QString formatDuration(double seconds);
/// UTC in ISO 8601 -> the user's time zone and locale; empty stays empty.
QString formatInstant(const std::string& utc);

/// "32 concurrent", "8 req/s"
QString formatLoad(const Load& load);
/// The number alone, for the labels of a curve.
QString formatLoadValue(const Load& load);
/// "concurrency", "arrival rate (1/s)"
QString loadAxisTitle(LoadAxis axis);
/// "p99", "p99.9"
QString percentileName(double percent);
/// "p99 TTFT"
QString quantileName(Metric metric, double percent);

/// The shortest text that reads back as `value`, without digit grouping: for fields to type in.
QString formatEditable(double value);
/// A number as the user typed it: the locale's decimal separator or a point; nothing for anything else.
std::optional<double> parseNumber(QStringView text);

inline QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

} // namespace tailmark::ui
