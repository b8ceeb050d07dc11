// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/message_bar.h"

#include "style/icons.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_mark(new QLabel(this)), m_text(new QLabel(this)), m_button(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 6, 8, 6);
    row->setSpacing(8);
    m_text->setWordWrap(true);
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
            m_action();
    });
    QFrame::hide();
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
}

QString MessageBar::text() const
{
    return m_text->text();
}

} // namespace tailmark::ui
