// SPDX-License-Identifier: GPL-3.0-or-later
#include "style/workbench_style.h"

#include "style/theme.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyleOption>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kBox = 15;

void drawCheckBox(const QStyleOption& option, QPainter& painter)
{
    const ThemeColours& colours = themeColours(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool on = option.state & QStyle::State_On;
    const bool partly = option.state & QStyle::State_NoChange;
    QRectF box(0, 0, kBox - 1, kBox - 1);
    box.moveCenter(QRectF(option.rect).center());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor fill =
        !enabled ? option.palette.color(QPalette::Disabled, QPalette::Highlight) : colours.accent;
    QColor outline = !enabled ? colours.border : colours.secondary;
    if (option.state & (QStyle::State_HasFocus | QStyle::State_MouseOver))
        outline = colours.accent;
    painter.setPen(QPen(on || partly ? fill : outline, 1.2));
    painter.setBrush(on || partly ? fill : option.palette.color(QPalette::Base));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(QPen(colours.onAccent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) {
        return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
    };
    if (partly)
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    else if (on)
        painter.drawPolyline(QPolygonF({at(0.22, 0.53), at(0.42, 0.73), at(0.78, 0.29)}));
    painter.restore();
}

} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(u"Fusion"_s) {}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const
{
    switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawCheckBox(*option, *painter);
        return;
    case PE_FrameFocusRect:
        if (!qobject_cast<const QAbstractItemView*>(widget)) // there the selected row and the frame tell it
            break;
        return;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* data) const
{
    return hint == SH_DialogButtonBox_ButtonsHaveIcons ? 0
                                                       : QProxyStyle::styleHint(hint, option, widget, data);
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    if (metric == PM_IndicatorWidth || metric == PM_IndicatorHeight)
        return kBox;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

} // namespace tailmark::ui
