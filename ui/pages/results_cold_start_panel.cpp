// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_cold_start_panel.h"

#include "charts/cold_start_plot.h"
#include "models/cold_start_table.h"
#include "models/format.h"
#include "pages/table_view.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace tailmark::ui {

namespace {

constexpr int kPhasesWidth = 330;

} // namespace

ColdStartPanel::ColdStartPanel(QWidget* parent)
    : QWidget(parent), m_phases(new TableView(this)), m_command(new QLabel(this)),
      m_plot(new ColdStartPlot(this))
{
    m_phases->setAccessibleName(tr("Phases of the cold start"));
    m_phases->setSortingEnabled(false); // their order is what they are
    m_command->setWordWrap(true);
    m_command->setTextFormat(Qt::PlainText);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setRole(m_command, QStringLiteral("secondary"));
    auto* left = new QVBoxLayout;
    left->setSpacing(6);
    left->addWidget(m_phases, 1);
    left->addWidget(m_command);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 6, 0, 0);
    row->setSpacing(12);
    for (QWidget* each : std::initializer_list<QWidget*>{m_phases, m_command})
        each->setFixedWidth(kPhasesWidth);
    row->addLayout(left);
    row->addWidget(m_plot, 1);
}

void ColdStartPanel::setSummary(const std::optional<ColdStartSummary>& summary)
{
    m_phases->setTable(summary ? coldStartPhases(*summary) : Table{});
    m_command->setText(summary && !summary->command.empty() ? tr("Started by: %1").arg(text(summary->command))
                                                            : QString());
    m_plot->setSummary(summary.value_or(ColdStartSummary{}));
}

} // namespace tailmark::ui
