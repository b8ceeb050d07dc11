// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/page_rail.h"

#include "style/theme.h"

#include <QAction>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace tailmark::ui {

namespace {

constexpr int kWidth = 80;

/// Icon over text; the page that is shown has a bar at its left edge.
class RailButton : public QToolButton
{
public:
    explicit RailButton(QAction* action, QWidget* parent) : QToolButton(parent)
    {
        setDefaultAction(action);
        setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        setIconSize({24, 24});
        setFixedSize(kWidth - 8, 60);
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QToolButton::paintEvent(event);
        if (!isChecked())
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(themeColours(palette()).accent);
        painter.drawRoundedRect(QRectF(0, 14, 3, height() - 28), 1.5, 1.5);
    }
};

} // namespace

PageRail::PageRail(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    setFixedWidth(kWidth);
    m_column->setContentsMargins(4, 8, 4, 8);
    m_column->setSpacing(4);
    m_column->addStretch(1);
    setAccessibleName(tr("Pages"));
}

void PageRail::addPage(QAction* action)
{
    m_column->insertWidget(m_column->count() - 1, new RailButton(action, this));
}

void PageRail::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(themeColours(palette()).border);
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

} // namespace tailmark::ui
