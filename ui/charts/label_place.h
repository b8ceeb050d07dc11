// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QRectF>

#include <optional>

namespace tailmark::ui {

/// Where a label of this size stands beside the point `at`, `gap` or, where that is not free, twice as far
/// from it: the first place inside `room`, left above first, that meets nothing of `taken`, and none of the
/// `lines` either where there is such a place. Pure.
std::optional<QRectF> labelPlace(QPointF at, QSizeF size, qreal gap, const QRectF& room,
                                 const QList<QRectF>& taken, const QList<QLineF>& lines);

} // namespace tailmark::ui
