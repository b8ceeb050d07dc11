// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_test_delegate.h"

#include "models/test_table_model.h"
#include "style/icons.h"

namespace tailmark::ui {

using namespace Qt::StringLiterals;

void PlanTestDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    option->state &= ~QStyle::State_HasFocus; // the row is what is current, not a cell
    if (!index.siblingAtColumn(TestTableModel::TestColumn).data(TestTableModel::EnabledRole).toBool())
        option->palette.setColor(QPalette::Text, option->palette.color(QPalette::Disabled, QPalette::Text));
    const int severity = index.data(TestTableModel::SeverityRole).toInt();
    if (index.column() == TestTableModel::TestColumn && severity > 0) {
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = QSize(16, 16);
        option->icon = severity == 2 ? icon(u"error"_s, Tint::Error) : icon(u"warning"_s, Tint::Warning);
    }
}

} // namespace tailmark::ui
