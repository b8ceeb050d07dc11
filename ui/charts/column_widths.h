// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QtGlobal>

namespace tailmark::ui {

/// Of one column: `least` holds its longest word, `whole` its longest text on one line.
struct ColumnNeed
{
    qreal least = 0;
    qreal whole = 0;
};

/// Widths of the columns of a table on `available`: all texts on one line where that fits; else each its
/// longest word and of the rest a share by what it lacks; else, where not even the words fit, all narrower
/// alike. Pure.
QList<qreal> columnWidths(const QList<ColumnNeed>& needs, qreal available);

} // namespace tailmark::ui
