// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

class QFrame;
class QGridLayout;
class QPushButton;

namespace tailmark::ui {

class TargetProber;

/// Whom to ask: URL, dialect, model, key; and what the target says of itself when probed.
class PlanTargetSection : public PlanSection
{
    Q_OBJECT

public:
    PlanTargetSection(PlanDocument& document, TargetProber& prober, QWidget* parent = nullptr);

public slots:
    void probe();

private:
    void enableProbe();
    void showProbe();
    void showCard();

    TargetProber& m_prober;
    PlanComboBox* m_model;
    QPushButton* m_probe;
    QLabel* m_state;
    QFrame* m_card;
    QGridLayout* m_cardGrid;
};

} // namespace tailmark::ui
