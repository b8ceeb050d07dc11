// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QList>
#include <QString>

namespace tailmark::ui {

class PlotView;

/// Writes charts, one below the other as on the screen, dark on white. The kind is told by the name's ending:
/// .png (twice the resolution of the screen), .svg or .pdf (one page of the charts' size). Errors: BadInput
/// for another ending, Io.
Status saveCharts(const QList<PlotView*>& charts, const QString& path, const QString& title);

} // namespace tailmark::ui
