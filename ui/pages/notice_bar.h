// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"

#include <QFrame>
#include <QTimer>

#include <functional>

class QLabel;
class QPushButton;

namespace tailmark::ui {

/// One line at the foot of a view that tells what has just happened, with at most one thing to do about it.
/// Goes away by itself after a while, failures stay until the next line.
class NoticeBar : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeBar(QWidget* parent = nullptr);

    void tell(const QString& text, Badge badge, const QString& actionText = {},
              std::function<void()> action = {});
    QString text() const;
    QPushButton* button() const { return m_button; }

private:
    QLabel* m_text;
    QPushButton* m_button;
    std::function<void()> m_action;
    QTimer m_hide;
};

} // namespace tailmark::ui
