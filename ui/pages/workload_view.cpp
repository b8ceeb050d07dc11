// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/workload_view.h"

#include "charts/joint_lengths_chart.h"
#include "models/workload_text.h"
#include "pages/table_view.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRefusedHeight = 150;

} // namespace

WorkloadView::WorkloadView(QWidget* parent)
    : QWidget(parent), m_percentiles(new TableView(this)), m_chart(new JointLengthsChart(this)),
      m_factsBox(new QWidget(this)), m_facts(new QGridLayout(m_factsBox)), m_remarks(new QLabel(this)),
      m_refusedFold(new QToolButton(this)), m_refused(new TableView(this))
{
    m_percentiles->setAccessibleName(tr("Percentiles of the lengths"));
    m_percentiles->setSortingEnabled(false);
    m_percentiles->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_facts->setContentsMargins(0, 0, 0, 0);
    m_facts->setHorizontalSpacing(12);
    m_facts->setVerticalSpacing(3);
    m_facts->setColumnStretch(1, 1);
    m_remarks->setWordWrap(true);
    m_remarks->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setRole(m_remarks, u"warning"_s);
    m_refusedFold->setCheckable(true);
    m_refusedFold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_refusedFold->setIconSize({14, 14});
    m_refusedFold->setFocusPolicy(Qt::StrongFocus);
    m_refusedFold->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setRole(m_refusedFold, u"fold"_s);
    m_refused->setAccessibleName(tr("Refused rows"));
    m_refused->setFixedHeight(kRefusedHeight);
    m_refused->horizontalHeader()->setStretchLastSection(true);
    const auto unfold = [this](bool shown) {
        m_refused->setVisible(shown);
        m_refusedFold->setIcon(icon(shown ? u"chevron-down"_s : u"chevron-right"_s, Tint::Secondary));
    };
    connect(m_refusedFold, &QToolButton::toggled, this, unfold);
    unfold(false);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(m_percentiles);
    column->addWidget(m_chart);
    column->addWidget(m_factsBox);
    column->addWidget(m_remarks);
    column->addWidget(m_refusedFold);
    column->addWidget(m_refused);
}

void WorkloadView::setSummary(const WorkloadSummary& summary)
{
    m_percentiles->setTable(lengthPercentiles(summary.stats));
    QHeaderView* header = m_percentiles->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Stretch);
    header->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_percentiles->setFixedHeight(header->sizeHint().height() +
                                  m_percentiles->model()->rowCount() *
                                      m_percentiles->verticalHeader()->defaultSectionSize() +
                                  2 * m_percentiles->frameWidth());
    m_chart->setStats(summary.stats);
    m_chart->setVisible(!summary.stats.scatter.empty());
    showFacts(summary);
    showRefused(summary);
    QStringList remarks;
    if (!summary.remark.empty())
        remarks << QString::fromStdString(summary.remark);
    for (const TraceWarning& warning : summary.warnings) {
        if (warning.code == "arrivals_on_grid") // one of the facts
            continue;
        QString words = QString::fromStdString(warning.text);
        words.replace(0, 1, words.left(1).toUpper());
        remarks << (warning.code == "unsorted" ? tr("Its rows were not in the order of time.")
                                               : words + u'.');
    }
    m_remarks->setText(remarks.join(u'\n'));
    m_remarks->setVisible(!remarks.isEmpty());
}

void WorkloadView::showFacts(const WorkloadSummary& summary)
{
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const Fact& fact : workloadFacts(summary)) {
        auto* name = new QLabel(fact.name, m_factsBox);
        setRole(name, u"secondary"_s);
        auto* value = new QLabel(fact.value, m_factsBox);
        value->setWordWrap(true);
        value->setTextFormat(Qt::PlainText);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setAccessibleName(u"%1: %2"_s.arg(fact.name, fact.value));
        for (QLabel* each : {name, value})
            each->setToolTip(fact.help);
        m_facts->addWidget(name, row, 0, Qt::AlignTop);
        m_facts->addWidget(value, row, 1);
        ++row;
    }
    m_factsBox->setVisible(row > 0);
}

void WorkloadView::showRefused(const WorkloadSummary& summary)
{
    const QString words = refusedInWords(summary);
    m_refusedFold->setVisible(!words.isEmpty());
    if (words.isEmpty())
        m_refusedFold->setChecked(false);
    m_refusedFold->setText(summary.rejected.size() < summary.rowsRejected
                               ? tr("%1 (the first %2 are listed)").arg(words).arg(summary.rejected.size())
                               : words);
    m_refusedFold->setToolTip(words);
    m_refused->setTable(refusedRows(summary));
}

} // namespace tailmark::ui
