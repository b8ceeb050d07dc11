// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_arrivals_panel.h"

#include "models/format.h"
#include "pages/plan_arrivals_preview.h"
#include "pages/plan_document.h"
#include "pages/plan_fields.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

PlanArrivalsPanel::PlanArrivalsPanel(PlanDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_title(new QLabel(this)), m_level(new PlanComboBox(this)),
      m_preview(new PlanArrivalsPreview(this)), m_words(new QLabel(this))
{
    setRole(m_title, u"secondary"_s);
    setRole(m_words, u"secondary"_s);
    m_title->setBuddy(m_level);
    m_level->setAccessibleName(tr("Rate of the arrivals that are drawn"));
    m_level->setToolTip(tr("Which level of the sweep is drawn"));
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_words->setToolTip(
        tr("CV of the gaps between requests, and the variance of the counts in windows over their "
           "mean: both are 1 for independent users (Poisson), 0 for even spacing, more is burstier"));
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_title);
    row->addWidget(m_level);
    row->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(row);
    column->addWidget(m_preview);
    column->addWidget(m_words);
    connect(m_level, &QComboBox::activated, this, [this](int level) {
        m_chosen = level;
        showLevel();
    });
}

void PlanArrivalsPanel::showTest(int row)
{
    const auto& tests = m_document.matrix().tests;
    const bool open = row >= 0 && row < static_cast<int>(tests.size()) &&
                      (tests[static_cast<std::size_t>(row)].kind == TestKind::ArrivalSweep ||
                       tests[static_cast<std::size_t>(row)].kind == TestKind::BurstRecovery);
    setVisible(open);
    const bool another = std::exchange(m_row, row) != row;
    if (!open)
        return;
    // What decides the schedule, and no more: an error elsewhere must not take the preview away. The other
    // tests stay by name, which the seeds depend on.
    Matrix alone;
    alone.measurement = m_document.matrix().measurement;
    alone.measurement.repeats = 1;
    alone.measurement.order = PointOrder::Sequential;
    alone.workload.seed = m_document.matrix().workload.seed;
    for (const Test& test : tests) {
        alone.tests.emplace_back();
        alone.tests.back().kind = test.kind;
        alone.tests.back().name = test.name;
        alone.tests.back().enabled = false;
    }
    alone.tests[static_cast<std::size_t>(row)] = tests[static_cast<std::size_t>(row)];
    alone.tests[static_cast<std::size_t>(row)].enabled = true;
    if (tests[static_cast<std::size_t>(row)].process == ArrivalProcess::Recorded)
        alone.workload.lengths = m_document.matrix().workload.lengths; // the log that it replays
    Result<Plan> plan = expand(alone);
    m_points = plan.ok() ? std::move(plan).value().points : std::vector<PointPlan>();
    std::stable_sort(m_points.begin(), m_points.end(),
                     [](const PointPlan& a, const PointPlan& b) { return a.load.value < b.load.value; });
    if (another)
        m_chosen = -1;
    fillLevels();
    showLevel();
}

void PlanArrivalsPanel::setLog(const std::shared_ptr<const RecordedTimes>& log)
{
    if (m_log == log)
        return;
    m_log = log;
    showLevel();
}

/// The highest rate stands there at first: the one where bursts matter.
void PlanArrivalsPanel::fillLevels()
{
    const int count = static_cast<int>(m_points.size());
    const int level = m_chosen < 0 ? count - 1 : std::min(m_chosen, count - 1);
    m_level->clear();
    for (const PointPlan& point : m_points)
        m_level->addItem(formatLoad(point.load));
    m_level->setCurrentIndex(level);
    m_level->setVisible(count > 1);
    m_title->setText(count > 1 ? tr("Arrivals as they will be sent, at")
                               : tr("Arrivals as they will be sent"));
}

void PlanArrivalsPanel::showLevel()
{
    const int level = m_level->currentIndex();
    if (level < 0 || level >= static_cast<int>(m_points.size())) {
        m_preview->setPoint({}, tr("The schedule is drawn here once the values are right."));
    } else {
        const PointPlan& point = m_points[static_cast<std::size_t>(level)];
        const Status log = checkLog(point, m_log.get(), tr("the workload's log").toStdString());
        if (log.ok())
            m_preview->setPoint(point, {}, m_log);
        else
            m_preview->setPoint({}, m_log ? QString::fromStdString(log.error().line())
                                          : tr("The schedule is drawn here once the log is read."));
    }
    m_words->setText(m_preview->words());
    m_words->setVisible(!m_words->text().isEmpty());
}

} // namespace tailmark::ui
