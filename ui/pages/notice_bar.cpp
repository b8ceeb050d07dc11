// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/notice_bar.h"

#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace tailmark::ui {

namespace {

constexpr int kShownMs = 12'000; // long enough to read and to undo

} // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent), m_text(new QLabel(this)), m_button(new QPushButton(this))
{
    setProperty("role", QStringLiteral("card"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 5, 6, 5);
    row->addWidget(m_text, 1);
    row->addWidget(m_button);
    hide();
    m_hide.setSingleShot(true);
    m_hide.setInterval(kShownMs);
    connect(&m_hide, &QTimer::timeout, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        if (m_action)
            std::exchange(m_action, nullptr)();
    });
}

void NoticeBar::tell(const QString& text, Badge badge, const QString& actionText,
                     std::function<void()> action)
{
    m_text->setText(text);
    setRole(m_text, badge == Badge::Bad ? QStringLiteral("error") : QString());
    m_action = std::move(action);
    m_button->setVisible(m_action != nullptr);
    m_button->setText(actionText);
    setAccessibleName(text);
    show();
    if (badge == Badge::Bad)
        m_hide.stop();
    else
        m_hide.start();
}

QString NoticeBar::text() const
{
    return m_text->text();
}

} // namespace tailmark::ui
