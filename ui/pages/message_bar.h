// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QTimer>

#include <functional>

class QLabel;
class QPushButton;

namespace tailmark::ui {

/// One line above or below a view that tells what happened, with at most one thing to do about it. Nothing to
/// click away before work goes on: it can be closed, and the next message takes its place.
class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Kind { Info, Ok, Error };
    /// How long a message stands that nobody closes: until the next one, or long enough to read it and to
    /// undo what it tells. Errors always stay.
    enum class Stay { UntilClosed, AWhile };

    explicit MessageBar(Stay stay, QWidget* parent = nullptr);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {});
    QString text() const;
    Kind kind() const { return m_kind; }
    /// Does what the message offers; visible when it offers anything.
    QPushButton* button() const { return m_button; }

private:
    const Stay m_stay;
    Kind m_kind = Kind::Info;
    QLabel* m_mark;
    QLabel* m_text;
    QPushButton* m_button;
    std::function<void()> m_action;
    QTimer m_end;
};

} // namespace tailmark::ui
