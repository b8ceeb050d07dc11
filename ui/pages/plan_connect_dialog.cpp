// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_connect_dialog.h"

#include "pages/plan_target_section.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace tailmark::ui {

PlanConnectDialog::PlanConnectDialog(const Matrix& matrix, TargetProber& prober, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Connect to an engine"));
    auto* content = new QWidget;
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    auto* target = new PlanTargetSection(m_document, prober, Side::A, content);
    inner->addWidget(target);
    inner->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton* go = buttons->addButton(tr("Make a matrix for it"), QDialogButtonBox::AcceptRole);
    go->setProperty("primary", true);
    for (QAbstractButton* button : buttons->buttons()) // Enter in the URL probes
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->addWidget(scroll, 1);
    column->addWidget(buttons);
    m_document.reset(matrix, {});
    resize(640, 440);
    target->focusField("target.base_url");
}

} // namespace tailmark::ui
