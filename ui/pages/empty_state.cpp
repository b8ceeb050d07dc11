// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tailmark::ui {

EmptyState::EmptyState(const QString& title, const QString& advice, QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_advice(new QLabel(this)), m_column(new QVBoxLayout(this))
{
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    m_title->setFont(large);
    m_title->setAlignment(Qt::AlignCenter);
    m_advice->setAlignment(Qt::AlignCenter);
    m_advice->setWordWrap(true);
    m_advice->setForegroundRole(QPalette::PlaceholderText);
    m_advice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_column->addStretch(2);
    m_column->addWidget(m_title);
    m_column->addWidget(m_advice);
    m_column->addStretch(3);
    setText(title, advice);
}

void EmptyState::setText(const QString& title, const QString& advice)
{
    m_title->setText(title);
    m_advice->setText(advice);
    setAccessibleName(title);
    setAccessibleDescription(advice);
}

QPushButton* EmptyState::addButton(const QString& text)
{
    auto* button = new QPushButton(text, this);
    m_column->insertWidget(m_column->count() - 1, button, 0, Qt::AlignHCenter);
    return button;
}

} // namespace tailmark::ui
