// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace tailmark::ui {

/// Fusion with check boxes that can be seen on a dark window, no dotted frame around the current cell of a
/// view, and no coloured icons on the buttons of dialogs. What a style sheet can say is in resources/style;
/// this it cannot say for item views without taking over all of their painting.
class WorkbenchStyle : public QProxyStyle
{
    Q_OBJECT

public:
    WorkbenchStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
};

} // namespace tailmark::ui
