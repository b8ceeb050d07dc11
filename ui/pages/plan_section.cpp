// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_section.h"

#include "style/icons.h"
#include "style/theme.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

PlanSection::PlanSection(const QString& title, PlanDocument& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_head(new QToolButton(this)),
      m_summary(new PlanElidedLabel(this)), m_mark(new QLabel(this)), m_content(new QWidget(this)),
      m_body(new QVBoxLayout(m_content))
{
    setRole(this, u"card"_s);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 12, 6);
    column->setSpacing(4);

    m_head->setText(title);
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_head->setIconSize({14, 14});
    QFont bold = m_head->font();
    bold.setWeight(QFont::DemiBold);
    m_head->setFont(bold);
    m_head->setFocusPolicy(Qt::StrongFocus);
    m_head->setAccessibleName(QString(title).remove(u'&'));
    connect(m_head, &QToolButton::clicked, this, [this] { setExpanded(!isExpanded()); });

    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_mark->hide();

    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_head);
    row->addWidget(m_summary, 1);
    row->addWidget(m_mark);
    column->addLayout(row);

    m_body->setContentsMargins(6, 2, 0, 6);
    m_body->setSpacing(10);
    column->addWidget(m_content);
    setExpanded(true);
    // Later than the forms' own connections, so that their findings are known.
    connect(&document, &PlanDocument::changed, this, &PlanSection::refresh, Qt::QueuedConnection);
}

void PlanSection::setExpanded(bool expanded)
{
    m_content->setVisible(expanded);
    m_head->setIcon(icon(expanded ? u"chevron-down"_s : u"chevron-right"_s, Tint::Secondary));
    m_head->setAccessibleDescription(expanded ? tr("Shown. Press to fold.") : tr("Folded. Press to show."));
}

bool PlanSection::isExpanded() const
{
    return !m_content->isHidden();
}

bool PlanSection::focusField(const std::string& path)
{
    for (PlanForm* form : m_forms) {
        if (!form->hasField(path))
            continue;
        setExpanded(true);
        if (const auto fold = m_folds.find(form); fold != m_folds.end())
            fold->second->setChecked(true);
        layout()->activate();
        return form->focusField(path);
    }
    return false;
}

void PlanSection::beginPart(QWidget* part)
{
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(m_body->spacing());
    m_body->addWidget(part);
    m_body = column;
}

PlanForm* PlanSection::addForm(int columns)
{
    auto* form = new PlanForm(m_document, columns, m_content);
    m_body->addWidget(form);
    watch(form);
    return form;
}

PlanForm* PlanSection::addFoldedForm(const QString& title, int columns)
{
    auto* fold = new QToolButton(m_content);
    fold->setText(title);
    fold->setCheckable(true);
    fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold->setIconSize({14, 14});
    fold->setFocusPolicy(Qt::StrongFocus);
    setRole(fold, u"fold"_s);
    m_body->addWidget(fold, 0, Qt::AlignLeft);
    PlanForm* form = addForm(columns);
    m_folds[form] = fold;
    const auto show = [form, fold](bool shown) {
        form->setVisible(shown);
        fold->setIcon(icon(shown ? u"chevron-down"_s : u"chevron-right"_s, Tint::Secondary));
    };
    connect(fold, &QToolButton::toggled, form, show);
    show(false);
    return form;
}

void PlanSection::refresh()
{
    int worst = 0;
    for (const PlanForm* form : m_forms)
        worst = std::max(worst, form->severity());
    m_mark->setVisible(worst > 0);
    if (worst > 0) {
        m_mark->setPixmap(
            icon(worst == 2 ? u"error"_s : u"warning"_s, worst == 2 ? Tint::Error : Tint::Warning)
                .pixmap(QSize(16, 16), devicePixelRatioF()));
        m_mark->setToolTip(worst == 2 ? tr("Something here is wrong") : tr("There is a remark about this"));
        m_mark->setAccessibleName(m_mark->toolTip());
    }
    const QString summary = m_summaryOf ? m_summaryOf(m_document.matrix()) : QString();
    m_summary->setText(summary);
    m_summary->setToolTip(summary);
}

} // namespace tailmark::ui
