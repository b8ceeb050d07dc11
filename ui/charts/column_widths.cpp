// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/column_widths.h"

namespace tailmark::ui {

QList<qreal> columnWidths(const QList<ColumnNeed>& needs, qreal available)
{
    qreal least = 0, whole = 0;
    for (const ColumnNeed& need : needs) {
        least += need.least;
        whole += need.whole;
    }
    QList<qreal> widths;
    for (const ColumnNeed& need : needs) {
        if (whole <= available)
            widths << need.whole;
        else if (least <= available)
            widths << need.least + (available - least) * (need.whole - need.least) / (whole - least);
        else
            widths << need.least * available / least;
    }
    return widths;
}

} // namespace tailmark::ui
