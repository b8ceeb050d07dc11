// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"
#include "report/run_results.h"

#include <QList>
#include <QPointF>
#include <QString>

#include <string>

namespace tailmark::ui {

/// What the hardware bounds of one test, and what was measured beside it.
struct BoundData
{
    struct Level
    {
        QPointF at; ///< batch, output tok/s as measured
        QString details;
        bool valid = false;
        int point = -1; ///< its index
    };
    QList<QPointF> bandwidth, compute; ///< batch, tok/s; empty where it is not known
    QList<Level> levels;
    double contextTokens = 0;
    QString claim;       ///< what the fraction at the operating point says; empty where there is none
    QString formula;     ///< with its inputs, of the last level
    QString assumptions; ///< what nobody stated and was taken; empty where all is stated
    Table table;         ///< a row a level

    bool known() const { return !bandwidth.isEmpty(); }
};
BoundData boundData(const RunResults& results, const std::string& test);

} // namespace tailmark::ui
