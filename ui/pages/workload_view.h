// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/workload_preview.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QToolButton;

namespace tailmark::ui {

class JointLengthsChart;
class TableView;

/// What a workload looks like: percentiles of its lengths, the joint picture, facts in words, and the rows of
/// the file that were refused.
class WorkloadView : public QWidget
{
    Q_OBJECT

public:
    explicit WorkloadView(QWidget* parent = nullptr);
    void setSummary(const WorkloadSummary& summary);

private:
    void showFacts(const WorkloadSummary& summary);
    void showRefused(const WorkloadSummary& summary);

    TableView* m_percentiles;
    JointLengthsChart* m_chart;
    QWidget* m_factsBox;
    QGridLayout* m_facts;
    QLabel* m_remarks;
    QToolButton* m_refusedFold;
    TableView* m_refused;
};

} // namespace tailmark::ui
