// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/server_table.h"

#include "models/format.h"

#include <QCoreApplication>

#include <cmath>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("ServerTable", source);
}

Cell words(const QString& shown, const QString& toolTip = {})
{
    return {shown, {}, toolTip, Badge::None};
}

Cell number(std::optional<double> value)
{
    return {value ? formatNumber(*value, 6) : QString(),
            value ? QVariant(*value) : QVariant(-HUGE_VAL),
            {},
            Badge::None};
}

} // namespace

Table serverTable(const PointSummary& point)
{
    Table table;
    if (!point.server)
        return table;
    const ServerSummary& server = *point.server;
    const QString between = server.readings > 0
                                ? tr("Between the readings at %1 and %2 after the start of the point.")
                                      .arg(formatValue(server.startS, "s"), formatValue(server.endS, "s"))
                                : QString();
    table.columns = {{tr("Counter"), {}, false},
                     {tr("Unit"), {}, false},
                     {tr("Mean"), tr("Of the readings, one a second."), true},
                     {tr("Max"), {}, true},
                     {tr("In the window"), between, true},
                     {tr("Per second"), between, true},
                     {tr("Readings"), {}, true},
                     {tr("Remark"), {}, false}};
    const auto row = [&](const QString& name, const QString& unit, const QString& definition,
                         std::optional<double> mean, std::optional<double> max, std::optional<double> delta,
                         std::optional<double> perS, std::optional<double> n, const QString& remark) {
        table.rows << QList<Cell>{words(name, definition), words(unit),  number(mean), number(max),
                                  number(delta),           number(perS), number(n),    words(remark)};
    };
    for (const ServerCounterInfo& info : serverCounters()) {
        const ServerFigure* figure = server.figure(info.counter);
        if (!figure)
            continue;
        const QString remark = figure->restarted      ? tr("fell: the engine was started again")
                               : figure->atRequestEnd ? tr("grows only when a request ends")
                                                      : QString();
        row(text(info.title), text(info.unit), text(info.definition), figure->mean, figure->max,
            figure->delta, figure->perS, static_cast<double>(figure->n), remark);
    }
    const auto derived = [&](const QString& name, const QString& unit, const QString& definition,
                             std::optional<double> mean, std::optional<double> perS) {
        if (mean || perS)
            row(name, unit, definition, mean, {}, {}, perS, {}, {});
    };
    derived(tr("Prefix cache hit share"), tr("share"), tr("Hits / queries of the window."),
            server.prefixHitShare(), {});
    derived(tr("Wait in the queue"), QStringLiteral("s"), tr("Time in the queue / requests that left it."),
            server.meanQueueS(), {});
    if (server.speculation) {
        const Speculation& s = *server.speculation;
        const QString tokens = tr("tokens");
        derived(tr("Rejected draft tokens"), tokens, tr("Drafted less accepted."), {}, s.rejectedPerS);
        derived(tr("Useful tokens"), tokens, tr("Useful output that arrived at the client meanwhile."), {},
                s.usefulPerS > 0 ? std::optional(s.usefulPerS) : std::nullopt);
    }
    for (const std::string& remark : server.remarks)
        row(tr("Remark"), {}, {}, {}, {}, {}, {}, {}, text(remark));
    return table;
}

} // namespace tailmark::ui
