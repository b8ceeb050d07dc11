// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_fleet_panel.h"

#include "analysis/fleet.h"
#include "models/format.h"
#include "style/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QVBoxLayout>

namespace tailmark::ui {

FleetPanel::FleetPanel(QWidget* parent)
    : QWidget(parent), m_demand(new QLineEdit(this)), m_unit(new QComboBox(this)),
      m_headroom(new QLineEdit(this)), m_replicas(new QLabel(this)), m_sentence(new QLabel(this))
{
    m_demand->setPlaceholderText(QStringLiteral("120"));
    m_demand->setAccessibleName(tr("Demand"));
    m_demand->setToolTip(tr("What all replicas together are to carry at the busiest time"));
    m_unit->addItem(tr("requests/s"), static_cast<int>(FleetUnit::RequestsPerS));
    m_unit->addItem(tr("output tok/s"), static_cast<int>(FleetUnit::TokensPerS));
    m_unit->setAccessibleName(tr("Unit of the demand"));
    m_headroom->setText(QStringLiteral("20"));
    m_headroom->setAccessibleName(tr("Headroom, %"));
    m_headroom->setToolTip(
        tr("Share of its capacity that each replica keeps free: no balancer spreads perfectly"));
    for (QLineEdit* line : {m_demand, m_headroom})
        line->setMaximumWidth(140);
    QFont large = m_replicas->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    large.setWeight(QFont::DemiBold);
    m_replicas->setFont(large);
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    int column = 0;
    for (QWidget* field : std::initializer_list<QWidget*>{m_demand, m_unit, m_headroom}) {
        auto* label = new QLabel(field->accessibleName(), this);
        setRole(label, QStringLiteral("secondary"));
        label->setBuddy(field);
        grid->addWidget(label, 0, column);
        grid->addWidget(field, 1, column++);
    }
    grid->setColumnStretch(column, 1);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 8, 0, 0);
    rows->setSpacing(8);
    rows->addLayout(grid);
    rows->addWidget(m_replicas);
    rows->addWidget(m_sentence);
    rows->addStretch(1);
    connect(m_demand, &QLineEdit::textChanged, this, &FleetPanel::calculate);
    connect(m_headroom, &QLineEdit::textChanged, this, &FleetPanel::calculate);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &FleetPanel::calculate);
    calculate();
}

void FleetPanel::setOperatingPoint(const std::optional<OperatingPoint>& point, const QString& message)
{
    m_point = point;
    m_message = message;
    calculate();
}

void FleetPanel::calculate()
{
    for (QWidget* field : std::initializer_list<QWidget*>{m_demand, m_unit, m_headroom})
        field->setEnabled(m_point.has_value());
    FleetDemand demand;
    demand.value = parseNumber(m_demand->text()).value_or(0);
    demand.unit = static_cast<FleetUnit>(m_unit->currentData().toInt());
    demand.headroom = parseNumber(m_headroom->text()).value_or(0) / 100;
    const bool right = demand.value > 0 && demand.headroom >= 0 && demand.headroom < 1;
    m_replicas->setVisible(m_point && right);
    if (!m_point) {
        m_sentence->setText(m_message);
    } else if (!right) {
        m_sentence->setText(
            tr("Say what the fleet is to carry, and how much of each replica is to stay free (0 to 99 %)."));
    } else {
        const FleetSize size = fleetFor(*m_point, demand);
        m_replicas->setText(size.replicas ? tr("%n replica(s)", nullptr, *size.replicas)
                                          : tr("No number of replicas"));
        m_sentence->setText(text(size.sentence));
    }
}

} // namespace tailmark::ui
