// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QVBoxLayout;

namespace tailmark::ui {

/// The bar at the left with a button for each page.
class PageRail : public QWidget
{
    Q_OBJECT

public:
    explicit PageRail(QWidget* parent = nullptr);

    /// A checkable action; the button follows it.
    void addPage(QAction* action);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_column;
};

} // namespace tailmark::ui
