// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_bound_panel.h"

#include "charts/bound_plot.h"
#include "pages/table_view.h"
#include "style/theme.h"

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace tailmark::ui {

BoundPanel::BoundPanel(QWidget* parent)
    : QWidget(parent), m_stack(new QStackedWidget(this)), m_message(new QLabel(this)),
      m_plot(new BoundPlot(this)), m_claim(new QLabel(this)), m_table(new TableView(this)),
      m_formula(new QLabel(this))
{
    for (QLabel* label : {m_message, m_claim, m_formula}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    setRole(m_formula, QStringLiteral("secondary"));
    m_table->setAccessibleName(tr("What each level reached of the bound"));
    auto* words = new QWidget(this);
    auto* wordsColumn = new QVBoxLayout(words);
    wordsColumn->setContentsMargins(0, 0, 0, 0);
    wordsColumn->setSpacing(6);
    wordsColumn->addWidget(m_claim);
    wordsColumn->addWidget(m_table, 1);
    auto* formula = new QScrollArea(words);
    formula->setWidget(m_formula);
    formula->setWidgetResizable(true);
    formula->setFixedHeight(3 * fontMetrics().height() + 6);
    wordsColumn->addWidget(formula);
    auto* split = new QSplitter(this);
    split->setObjectName(QStringLiteral("results.bound"));
    split->setChildrenCollapsible(false);
    split->addWidget(m_plot);
    split->addWidget(words);
    split->setSizes({420, 560});
    m_stack->addWidget(m_message);
    m_stack->addWidget(split);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->addWidget(m_stack);
    connect(m_table, &TableView::idSelected, this, &BoundPanel::pointChosen);
}

void BoundPanel::setData(const BoundData& data, const QString& message)
{
    m_stack->setCurrentIndex(data.known() ? 1 : 0);
    m_message->setText(message);
    m_plot->setData(data);
    m_claim->setText(data.claim);
    m_claim->setVisible(!data.claim.isEmpty());
    m_table->setTable(data.table);
    m_formula->setText(data.assumptions.isEmpty() ? data.formula
                                                  : data.formula + QLatin1Char('\n') + data.assumptions);
}

void BoundPanel::selectPoint(int index)
{
    m_table->selectId(index);
}

} // namespace tailmark::ui
