// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/test_table_model.h"
#include "pages/plan_document.h"
#include "schedule/recorded_times.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <string>

class QAction;
class QLabel;
class QTableView;
class QToolButton;

namespace tailmark::ui {

class PlanArrivalsPanel;
class PlanTestForm;

/// The tests of the matrix as a table, the form of the selected one below it, and its arrivals.
class PlanTestsPanel : public QWidget
{
    Q_OBJECT

public:
    PlanTestsPanel(PlanDocument& document, QWidget* parent = nullptr);

    /// Tokens of a mean request, for the estimates.
    void setMeanTokens(std::optional<double> tokens);
    /// The times of the workload's log; null where there is none.
    void setLog(const std::shared_ptr<const RecordedTimes>& log);
    /// Selects the test that the path is about and puts the focus into its field.
    bool focusField(const std::string& path);
    void addTest(TestKind kind);

signals:
    void recommendedRequested();

private:
    int currentRow() const;
    void select(int row);
    void duplicate();
    void remove();
    void move(int by);
    void refresh();
    void showSelected();
    QAction* action(const QString& iconName, const QString& text, const QKeySequence& key);

    PlanDocument& m_document;
    TestTableModel* m_model;
    QTableView* m_table;
    PlanTestForm* m_form = nullptr;
    QLabel* m_title;
    QLabel* m_purpose;
    PlanArrivalsPanel* m_arrivals;
    QToolButton* m_add;
    QAction* m_duplicate;
    QAction* m_up;
    QAction* m_down;
    QAction* m_remove;
    std::optional<double> m_meanTokens;
};

} // namespace tailmark::ui
