// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;
class QPushButton;

namespace tailmark::ui {

/// What a view shows when it has nothing to show: what belongs here, and what to do to have it.
class EmptyState : public QWidget
{
    Q_OBJECT

public:
    EmptyState(const QString& title, const QString& advice, QWidget* parent = nullptr);
    void setText(const QString& title, const QString& advice);
    QPushButton* addButton(const QString& text);

private:
    QLabel* m_title;
    QLabel* m_advice;
    QVBoxLayout* m_column;
};

} // namespace tailmark::ui
