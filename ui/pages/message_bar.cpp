// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/message_bar.h"

#include "style/icons.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAWhileMs = 12'000;

} // namespace

MessageBar::MessageBar(Stay stay, QWidget* parent)
    : QFrame(parent), m_stay(stay), m_mark(new QLabel(this)), m_text(new QLabel(this)),
      m_button(new QPushButton(this)), m_end(this)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(8);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText); // it repeats names that users chose
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setIcon(icon(u"close"_s, Tint::Secondary));
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(close->toolTip());
    close->setFocusPolicy(Qt::StrongFocus);
    row->addWidget(m_mark);
    row->addWidget(m_text, 1);
    row->addWidget(m_button);
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        if (m_action)
            std::exchange(m_action, nullptr)();
    });
    m_end.setSingleShot(true);
    m_end.setInterval(kAWhileMs);
    connect(&m_end, &QTimer::timeout, this, &QWidget::hide);
    hide();
}

void MessageBar::show(Kind kind, const QString& text, const QString& actionText, std::function<void()> action)
{
    m_kind = kind;
    const QIcon mark = kind == Kind::Error ? icon(u"error"_s, Tint::Error)
                       : kind == Kind::Ok  ? icon(u"check"_s, Tint::Ok)
                                           : icon(u"info"_s, Tint::Accent);
    m_mark->setPixmap(mark.pixmap(QSize(18, 18), devicePixelRatioF()));
    setRole(this, kind == Kind::Error ? u"message-error"_s
                  : kind == Kind::Ok  ? u"message-ok"_s
                                      : u"message-info"_s);
    m_text->setText(text);
    m_text->setAccessibleName(text);
    m_button->setText(actionText);
    m_button->setVisible(!actionText.isEmpty());
    m_action = std::move(action);
    QFrame::show();
    if (m_stay == Stay::AWhile && kind != Kind::Error)
        m_end.start();
    else
        m_end.stop();
}

QString MessageBar::text() const
{
    return m_text->text();
}

} // namespace tailmark::ui
