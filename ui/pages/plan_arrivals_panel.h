// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "schedule/recorded_times.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;

namespace tailmark::ui {

class PlanArrivalsPreview;
class PlanDocument;

/// The arrivals of one open-loop test at a level that can be chosen: the picture, and what it shows in words.
class PlanArrivalsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit PlanArrivalsPanel(PlanDocument& document, QWidget* parent = nullptr);

    /// Hidden where the row has no test with a schedule.
    void showTest(int row);
    /// The times of the workload's log, for tests that replay it; null where there is none.
    void setLog(const std::shared_ptr<const RecordedTimes>& log);

private:
    void fillLevels();
    void showLevel();

    PlanDocument& m_document;
    int m_row = -1;
    int m_chosen = -1; ///< level that the reader chose; -1 = the highest, whichever it is
    std::shared_ptr<const RecordedTimes> m_log;
    std::vector<PointPlan> m_points; ///< of the test, by ascending load
    QLabel* m_title;
    QComboBox* m_level;
    PlanArrivalsPreview* m_preview;
    QLabel* m_words;
};

} // namespace tailmark::ui
