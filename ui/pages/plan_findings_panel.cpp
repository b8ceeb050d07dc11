// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_findings_panel.h"

#include "style/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRowsShown = 4;
constexpr int kRowHeight = 26;

class FindingDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), kRowHeight};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = QSize(16, 16);
        option->icon = index.data(FindingsModel::IsErrorRole).toBool() ? icon(u"error"_s, Tint::Error)
                                                                       : icon(u"warning"_s, Tint::Warning);
    }
};

} // namespace

PlanFindingsPanel::PlanFindingsPanel(QWidget* parent)
    : QWidget(parent), m_model(new FindingsModel(this)), m_head(new QToolButton(this)),
      m_mark(new QLabel(this)), m_list(new QListView(this))
{
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_head->setIconSize({14, 14});
    m_head->setFocusPolicy(Qt::StrongFocus);
    connect(m_head, &QToolButton::clicked, this, [this] { setExpanded(!isExpanded()); });
    m_list->setModel(m_model);
    m_list->setItemDelegate(new FindingDelegate(m_list));
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Errors and remarks"));
    m_list->setMouseTracking(true);
    const auto choose = [this](const QModelIndex& index) {
        emit chosen(index.data(FindingsModel::PathRole).toString());
    };
    connect(m_list, &QListView::clicked, this, choose);
    connect(m_list, &QListView::activated, this, choose);

    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(m_mark);
    row->addWidget(m_head);
    row->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(row);
    column->addWidget(m_list);
    setExpanded(false);
    setFindings({});
}

void PlanFindingsPanel::setFindings(const std::vector<Finding>& findings)
{
    m_model->setFindings(findings);
    const int errors = m_model->errorCount();
    const int remarks = m_model->remarkCount();
    QStringList parts;
    if (errors > 0)
        parts << tr("%n error(s)", nullptr, errors);
    if (remarks > 0)
        parts << tr("%n remark(s)", nullptr, remarks);
    m_head->setText(parts.isEmpty() ? tr("Nothing to remark on") : parts.join(u", "_s));
    m_head->setAccessibleName(m_head->text());
    m_head->setEnabled(!parts.isEmpty());
    const QIcon mark = errors > 0    ? icon(u"error"_s, Tint::Error)
                       : remarks > 0 ? icon(u"warning"_s, Tint::Warning)
                                     : icon(u"check"_s, Tint::Ok);
    m_mark->setPixmap(mark.pixmap(QSize(16, 16), devicePixelRatioF()));
    m_list->setFixedHeight(kRowHeight * std::clamp(errors + remarks, 1, kRowsShown) + 4);
    if (parts.isEmpty())
        setExpanded(false);
}

bool PlanFindingsPanel::isExpanded() const
{
    return !m_list->isHidden();
}

void PlanFindingsPanel::setExpanded(bool expanded)
{
    m_list->setVisible(expanded);
    m_head->setIcon(icon(expanded ? u"chevron-down"_s : u"chevron-right"_s, Tint::Secondary));
}

} // namespace tailmark::ui
