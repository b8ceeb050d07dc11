// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/run_page.h"

#include "pages/empty_state.h"

#include <QVBoxLayout>

namespace tailmark::ui {

RunPage::RunPage(RunController*, StoreSession*, QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->addWidget(new EmptyState(tr("No run is on"), tr("Set up a matrix on the Plan page and press Run. The frontier is drawn here while it is measured."), this));
}

} // namespace tailmark::ui
