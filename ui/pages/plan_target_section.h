// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_card_fields.h"
#include "pages/plan_matrix_side.h"
#include "pages/plan_section.h"

class QFrame;
class QGridLayout;
class QPushButton;

namespace tailmark::ui {

class TargetProber;

/// Whom to ask: URL, dialect, model, key; and what the target says of itself when probed. Of a second target,
/// which a matrix may have to measure two in turn, also whether there is one, and its card.
class PlanTargetSection : public PlanSection
{
    Q_OBJECT

public:
    PlanTargetSection(PlanDocument& document, TargetProber& prober, Side side, QWidget* parent = nullptr);

public slots:
    void probe();

private:
    void beginSecond();
    void addFields();
    void addProbe();
    void addFoldedFields();
    QString label(const QString& text) const;
    void fit();
    void enableProbe();
    void showProbe();
    void showCard();

    TargetProber& m_prober;
    const MatrixSide m_side;
    QPushButton* m_add = nullptr; ///< of the second: makes one
    QWidget* m_part = nullptr;    ///< of the second: all that is about it
    CardFields m_cardFields;      ///< of the second; those of the first are a section of their own
    PlanComboBox* m_model;
    QPushButton* m_probe;
    QLabel* m_state;
    QFrame* m_card;
    QGridLayout* m_cardGrid;
};

} // namespace tailmark::ui
