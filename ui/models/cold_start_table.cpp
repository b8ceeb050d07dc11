// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/cold_start_table.h"

#include "models/format.h"

#include <QCoreApplication>

#include <cmath>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("ColdStartTable", source);
}

/// To the millisecond: the port is asked every 50 ms.
Cell number(std::optional<double> value)
{
    if (value)
        value = std::round(*value * 1000) / 1000;
    return {formatNumber(value, 3), value ? QVariant(*value) : QVariant(-HUGE_VAL), {}, Badge::None};
}

} // namespace

Table coldStartPhases(const ColdStartSummary& s)
{
    Table table;
    table.columns = {{tr("Phase"), {}, false},
                     {tr("After [s]"), tr("Since the start of the command, else since the wait began"), true},
                     {tr("Took [s]"), tr("Since the phase before was over"), true}};
    std::optional<double> before = 0;
    const auto add = [&](const QString& name, std::optional<double> at, const QString& meaning) {
        const std::optional<double> took = at && before ? std::optional(*at - *before) : std::nullopt;
        table.rows << QList<Cell>{Cell{name, {}, meaning, Badge::None}, number(at), number(took)};
        before = at;
    };
    add(tr("connected"), s.connectedS, tr("The first connection was accepted."));
    add(tr("ready"), s.readyS, tr("It lists its models and has no /health that says otherwise."));
    add(tr("first token"), s.firstTokenS, tr("Of the first request that succeeded."));
    add(s.steadyRequest ? tr("steady, request %1").arg(*s.steadyRequest) : tr("steady"), s.steadyS,
        tr("That request was sent: it and every running median of three behind it have a TTFT of at most 10 "
           "% above "
           "that of the last half."));
    return table;
}

} // namespace tailmark::ui
