// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_page.h"

#include "pages/empty_state.h"

#include <QVBoxLayout>

namespace tailmark::ui {

ResultsPage::ResultsPage(StoreSession*, QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->addWidget(new EmptyState(tr("No runs yet"), tr("Runs that you start on the Plan page are kept here."), this));
}

} // namespace tailmark::ui
