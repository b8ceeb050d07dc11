// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/label_place.h"

#include <algorithm>

namespace tailmark::ui {

namespace {

bool meets(const QLineF& line, const QRectF& box)
{
    if (box.contains(line.p1()) || box.contains(line.p2()))
        return true;
    const QLineF edges[] = {{box.topLeft(), box.topRight()},
                            {box.topRight(), box.bottomRight()},
                            {box.bottomRight(), box.bottomLeft()},
                            {box.bottomLeft(), box.topLeft()}};
    return std::ranges::any_of(
        edges, [&](const QLineF& edge) { return line.intersects(edge) == QLineF::BoundedIntersection; });
}

} // namespace

std::optional<QRectF> labelPlace(QPointF at, QSizeF size, qreal gap, const QRectF& room,
                                 const QList<QRectF>& taken, const QList<QLineF>& lines)
{
    const qreal w = size.width(), h = size.height();
    for (const bool clearOfLines : {true, false})
        for (const qreal far : {gap, 2 * gap}) {
            const QPointF corners[] = {{at.x() - far - w + 2, at.y() - far - h + 4},
                                       {at.x() - w / 2, at.y() - far - h},
                                       {at.x() - far - w, at.y() - h},
                                       {at.x() + far, at.y() - h / 2},
                                       {at.x() - far - w, at.y() - h / 2},
                                       {at.x() + far, at.y() - h},
                                       {at.x() + far, at.y()},
                                       {at.x() - w / 2, at.y() + far},
                                       {at.x() - far - w, at.y()}};
            for (const QPointF& corner : corners) {
                const QRectF box(corner, size);
                if (room.contains(box) &&
                    std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(box); }) &&
                    !(clearOfLines &&
                      std::ranges::any_of(lines, [&](const QLineF& line) { return meets(line, box); })))
                    return box;
            }
        }
    return std::nullopt;
}

} // namespace tailmark::ui
