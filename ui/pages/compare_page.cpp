// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/compare_page.h"

#include "pages/empty_state.h"

#include <QVBoxLayout>

namespace tailmark::ui {

ComparePage::ComparePage(StoreSession*, QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->addWidget(new EmptyState(tr("Nothing to compare yet"), tr("Two stored runs are needed. Measure the same matrix on two targets, then choose them here."), this));
}

} // namespace tailmark::ui
