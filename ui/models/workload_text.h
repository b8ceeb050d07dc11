// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/workload_preview.h"
#include "models/table_model.h"

#include <QList>
#include <QString>

namespace tailmark::ui {

/// Something that a workload shows, in words.
struct Fact
{
    QString name, value, help;
};

/// Requests, correlation, sessions, arrivals and prefix sharing, each where the workload has it.
QList<Fact> workloadFacts(const WorkloadSummary& summary);
/// A row for the prompt and one for the output, in tokens.
Table lengthPercentiles(const TraceStats& stats);
/// Rows of the file that were refused: line, field, reason.
Table refusedRows(const WorkloadSummary& summary);
/// "12 rows refused: 8 zero, 4 not an integer"; empty where there are none.
QString refusedInWords(const WorkloadSummary& summary);
/// What arrivals show: their variation and dispersion, as a trace or a schedule has them.
QString arrivalsInWords(const ArrivalStats& arrivals);

} // namespace tailmark::ui
