// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace tailmark::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWords(const QString& words)
{
    setText(words);
    setToolTip(words);
}

void ElidedLabel::paintEvent(QPaintEvent* event)
{
    const int width = contentsRect().width();
    if (fontMetrics().horizontalAdvance(text()) <= width) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(text(), Qt::ElideRight, width), foregroundRole());
}

} // namespace tailmark::ui
