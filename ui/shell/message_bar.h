// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;

namespace tailmark::ui {

/// One line above the page that tells what happened, with at most one thing to do about it. Nothing to click
/// away before work goes on; it stays until it is closed or replaced.
class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Kind { Info, Ok, Error };

    explicit MessageBar(QWidget* parent = nullptr);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {});
    QString text() const;
    Kind kind() const { return m_kind; }

private:
    Kind m_kind = Kind::Info;
    QLabel* m_mark;
    QLabel* m_text;
    QPushButton* m_button;
    std::function<void()> m_action;
};

} // namespace tailmark::ui
