// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_point_tabs.h"

#include "charts/distribution_chart.h"
#include "charts/timeline_chart.h"
#include "models/bound_data.h"
#include "models/format.h"
#include "models/frontier_data.h"
#include "models/run_text.h"
#include "models/server_table.h"
#include "models/tables.h"
#include "pages/results_bound_panel.h"
#include "pages/results_cold_start_panel.h"
#include "pages/results_fleet_panel.h"
#include "pages/table_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace tailmark::ui {

namespace {

QLabel* wordsLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    return label;
}

QVBoxLayout* tabColumn(QWidget* tab)
{
    auto* column = new QVBoxLayout(tab);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(4);
    return column;
}

QString generatorText(const PointSummary& s)
{
    QStringList lines;
    if (s.cpuCores)
        lines << (s.threadCpu.size() > 1
                      ? PointTabs::tr("Generator: %1 cores used by %2 threads")
                            .arg(formatNumber(*s.cpuCores, 2), formatCount(s.threadCpu.size()))
                      : PointTabs::tr("Generator: %1 cores used").arg(formatNumber(*s.cpuCores, 2)));
    if (const Distribution* lag = s.distribution(Metric::SendLag))
        if (const auto* q = lag->at(99))
            lines << PointTabs::tr("p99 send lag %1").arg(formatMetric(Metric::SendLag, q->value));
    if (s.loopLagMs)
        if (const auto* q = s.loopLagMs->at(99))
            lines << PointTabs::tr("p99 loop lag %1").arg(formatValue(q->value, "ms"));
    lines << PointTabs::tr("%1 new connections, %2 found stale")
                 .arg(formatCount(s.newConnections), formatCount(s.staleConnections));
    if (s.timerLagMs)
        if (const auto* q = s.timerLagMs->at(99))
            lines << PointTabs::tr("p99 timer lag %1").arg(formatValue(q->value, "ms"));
    if (s.runDelayShare)
        lines << PointTabs::tr("waited for a core %1 of its time").arg(formatShare(*s.runDelayShare));
    if (s.coalescedEvents > 0)
        lines << PointTabs::tr("%1 of %2 token events glued to the one before")
                     .arg(formatCount(s.coalescedEvents), formatCount(s.tokenEvents));
    if (const auto late = s.stamped(StampSource::Processing) + s.stamped(StampSource::Readiness); late > 0)
        lines << PointTabs::tr("%1 requests without kernel receive stamps").arg(formatCount(late));
    return lines.join(QStringLiteral(" · "));
}

} // namespace

PointTabs::PointTabs(QWidget* parent)
    : QWidget(parent), m_tabs(new QTabWidget(this)), m_chooser(new QComboBox(this)),
      m_points(new TableView(this)), m_metric(new QComboBox(this)), m_asTable(new QToolButton(this)),
      m_distributionStack(new QStackedWidget(this)), m_distribution(new DistributionChart(this)),
      m_metrics(new TableView(this)), m_timelineStack(new QStackedWidget(this)),
      m_timeline(new TimelineChart(this)), m_timelineTable(new TableView(this)), m_laws(new TableView(this)),
      m_coldStart(new ColdStartPanel(this)), m_bound(new BoundPanel(this)), m_fleet(new FleetPanel(this)),
      m_card(new TableView(this))
{
    m_points->setAccessibleName(tr("Points of the test"));
    m_laws->setAccessibleName(tr("Laws checked on the point"));
    m_card->setAccessibleName(tr("What is known of the system"));
    m_chooser->setAccessibleName(tr("Point shown"));
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_points, tr("Points"));
    m_tabs->addTab(m_coldStart, tr("Cold start"));
    m_metric->setAccessibleName(tr("Metric shown"));
    m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_metrics->setAccessibleName(tr("Percentiles of all metrics of the point"));
    m_timelineTable->setAccessibleName(tr("Rates and requests in flight along the point"));
    for (const auto& [stack, chart, table, title] :
         {std::tuple<QStackedWidget*, QWidget*, QWidget*, QString>{m_distributionStack, m_distribution,
                                                                   m_metrics, tr("Distribution")},
          {m_timelineStack, m_timeline, m_timelineTable, tr("Timeline")}}) {
        stack->setContentsMargins(0, 6, 0, 0);
        stack->addWidget(chart);
        stack->addWidget(table);
        m_tabs->addTab(stack, title);
        connect(m_asTable, &QToolButton::toggled, stack,
                [stack = stack](bool on) { stack->setCurrentIndex(on ? 1 : 0); });
    }
    m_tabs->addTab(makeOutcomesTab(), tr("Outcomes"));
    m_tabs->addTab(m_laws, tr("Laws"));
    m_tabs->addTab(makeVerdictTab(), tr("Verdict"));
    m_tabs->addTab(makeServerTab(), tr("Server"));
    m_tabs->addTab(m_bound, tr("Bound"));
    m_tabs->addTab(m_fleet, tr("Fleet"));
    m_tabs->addTab(m_card, tr("System"));
    // What only charts need stands beside the tabs and takes no height from them.
    m_asTable->setText(tr("Table"));
    m_asTable->setCheckable(true);
    m_asTable->setToolTip(tr("The same figures as a table"));
    auto* corner = new QWidget(this);
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 0, 3);
    row->setSpacing(6);
    for (QWidget* w : std::initializer_list<QWidget*>{m_metric, m_asTable, m_chooser})
        row->addWidget(w);
    m_tabs->setCornerWidget(corner);
    const auto showCorner = [this] {
        const QWidget* tab = m_tabs->currentWidget();
        m_metric->setVisible(tab == m_distributionStack);
        m_asTable->setVisible(tab == m_distributionStack || tab == m_timelineStack);
    };
    connect(m_tabs, &QTabWidget::currentChanged, this, showCorner);
    showCorner();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tabs);

    connect(m_points, &TableView::idSelected, this, [this](int id) { emit pointChosen({id}); });
    connect(m_bound, &BoundPanel::pointChosen, this, [this](int id) { emit pointChosen({id}); });
    connect(m_chooser, &QComboBox::activated, this,
            [this] { emit pointChosen({m_chooser->currentData().toInt()}); });
    connect(m_metric, &QComboBox::currentIndexChanged, this, &PointTabs::showDistribution);
}

QWidget* PointTabs::makeOutcomesTab()
{
    auto* tab = new QWidget(this);
    m_outcomes = new TableView(tab);
    m_outcomes->setAccessibleName(tr("Outcomes of the point's requests"));
    m_errors = wordsLabel(tab);
    auto* column = tabColumn(tab);
    column->addWidget(m_outcomes, 1);
    column->addWidget(m_errors);
    return tab;
}

QWidget* PointTabs::makeVerdictTab()
{
    auto* tab = new QWidget(this);
    m_verdict = wordsLabel(tab);
    m_constraints = new TableView(tab);
    m_constraints->setAccessibleName(tr("Limits of the SLO on the point"));
    m_generator = wordsLabel(tab);
    m_generator->setProperty("role", QStringLiteral("secondary"));
    auto* column = tabColumn(tab);
    column->addWidget(m_verdict);
    column->addWidget(m_constraints, 1);
    column->addWidget(m_generator);
    return tab;
}

QWidget* PointTabs::makeServerTab()
{
    auto* tab = new QWidget(this);
    m_serverText = wordsLabel(tab);
    m_server = new TableView(tab);
    m_server->setAccessibleName(tr("The engine's own counters over the point"));
    auto* column = tabColumn(tab);
    column->addWidget(m_serverText);
    column->addWidget(m_server, 1);
    return tab;
}

void PointTabs::setResults(const ResultsPtr& results, const std::string& test)
{
    m_results = results;
    m_test = test;
    if (!results) {
        m_chosen = {}; // a point of another run is not this one's, also where it has the same number
        m_records.reset();
        m_points->setTable({});
        m_card->setTable({});
        m_bound->setData({}, {});
        m_fleet->setOperatingPoint({}, {});
        fillChooser();
        return;
    }
    m_points->setTable(pointsTable(*results, test));
    m_card->setTable(cardTable(results->run.card));
    const QString missing = whyNoPoints(*results, test);
    const OperatingPoint* op = operatingPointOf(*results, test);
    m_fleet->setOperatingPoint(
        op ? std::optional(*op) : std::nullopt,
        tr("Without an operating point there is no capacity to count with: choose a sweep."));
    m_bound->setData(boundData(*results, test),
                     !missing.isEmpty()
                         ? missing
                         : tr("No bound: the matrix states no bandwidth or no parameters. Choose "
                              "accelerator and model under Bandwidth bound on the Plan page; the next "
                              "run then shows what share of the bound it reached."));
    fillChooser();
    if (!summary())
        m_chosen = {};
    m_points->selectId(m_chosen.value);
    showPoint();
}

void PointTabs::fillChooser()
{
    const QSignalBlocker quiet(m_chooser);
    m_chooser->clear();
    if (m_results)
        for (const PointSummary& s : m_results->points)
            if (s.point.test == m_test)
                m_chooser->addItem(pointName(s.point), s.point.index.value);
    m_chooser->setCurrentIndex(m_chooser->findData(m_chosen.value));
    m_chooser->setEnabled(m_chooser->count() > 0);
}

const PointSummary* PointTabs::summary() const
{
    if (!m_results)
        return nullptr;
    const auto found =
        std::find_if(m_results->points.begin(), m_results->points.end(), [&](const PointSummary& s) {
            return s.point.index == m_chosen && s.point.test == m_test;
        });
    return found == m_results->points.end() ? nullptr : &*found;
}

QString PointTabs::emptyText() const
{
    const QString missing = m_results ? whyNoPoints(*m_results, m_test) : QString();
    return missing.isEmpty() ? tr("Choose a point in the table or on the frontier") : missing;
}

void PointTabs::choose(PointIndex point)
{
    if (point == m_chosen)
        return;
    m_chosen = point;
    m_records.reset();
    m_points->selectId(point.value);
    m_chooser->setCurrentIndex(m_chooser->findData(point.value));
    showPoint();
}

void PointTabs::setRecords(const RecordsPtr& records)
{
    m_records = records;
    showDistribution();
    const PointSummary* s = summary();
    TimelineData data;
    if (s && records)
        for (const StoredPoint& point : m_results->run.points)
            if (point.point.index == s->point.index)
                data = timelineData(s->point, s->window, *records, point.facts.serverSamples);
    if (s && s->steady) {
        data.steadyFromS = s->steady->startS;
        data.steadyToS = s->steady->endS;
    }
    m_timeline->setData(data);
    m_timeline->setMessage(s ? QString() : emptyText());
    m_timelineTable->setTable(timelineTable(data));
}

void PointTabs::showPoint()
{
    const PointSummary* s = summary();
    {
        const QSignalBlocker quiet(m_metric);
        const QVariant before = m_metric->currentData();
        m_metric->clear();
        if (s)
            for (Metric m : distributionMetrics(*s)) {
                m_metric->addItem(text(metricInfo(m).abbreviation), static_cast<int>(m));
                m_metric->setItemData(
                    m_metric->count() - 1,
                    QStringLiteral("%1\n%2").arg(text(metricInfo(m).title), text(metricInfo(m).definition)),
                    Qt::ToolTipRole);
            }
        const int same = m_metric->findData(before);
        m_metric->setCurrentIndex(
            same >= 0 ? same
            : s       ? m_metric->findData(static_cast<int>(headlineMetric(s->point.openLoop())))
                      : -1);
    }
    showColdStart();
    m_metrics->setTable(s ? metricsTable(*s) : Table{});
    m_outcomes->setTable(s ? outcomesTable(*s) : Table{});
    QStringList errors;
    if (s)
        for (const std::string& error : s->firstErrors)
            errors << text(error);
    m_errors->setText(errors.join(QLatin1Char('\n')));
    m_errors->setVisible(!errors.isEmpty());
    m_laws->setTable(s ? lawsTable(*s) : Table{});
    m_verdict->setText(s ? QStringLiteral("<b>%1</b><br>%2")
                               .arg(verdictName(s->verdict).toHtmlEscaped(),
                                    verdictText(s->verdict)
                                        .toHtmlEscaped()
                                        .replace(QLatin1Char('\n'), QStringLiteral("<br>")))
                         : emptyText());
    m_constraints->setTable(s ? constraintsTable(*s) : Table{});
    m_generator->setText(s ? generatorText(*s) : QString());
    m_server->setTable(s ? serverTable(*s) : Table{});
    m_server->setVisible(s && s->server);
    m_serverText->setVisible(!s || !s->server);
    m_serverText->setText(
        s ? tr("The engine told no counters of its own in this point. The warnings of the run "
               "say what was in the way; target.metrics_url says where they are asked for.")
          : emptyText());
    m_bound->selectPoint(m_chosen.value);
}

/// What a cold start is looked at for stands in front when one is opened.
void PointTabs::showColdStart()
{
    const PointSummary* s = summary();
    m_coldStart->setSummary(s ? s->coldStart : std::nullopt);
    const int tab = m_tabs->indexOf(m_coldStart);
    const bool shown = s && s->coldStart;
    if (shown && !m_tabs->isTabVisible(tab)) {
        m_tabs->setTabVisible(tab, true);
        m_tabs->setCurrentIndex(tab);
    } else if (!shown) {
        m_tabs->setTabVisible(tab, false);
    }
}

void PointTabs::showDistribution()
{
    const PointSummary* s = summary();
    if (!s || !m_records || m_metric->currentIndex() < 0) {
        m_distribution->setData({});
        m_distribution->setMessage(s ? QString() : emptyText());
        return;
    }
    m_distribution->setMessage({});
    m_distribution->setData(
        distributionData(static_cast<Metric>(m_metric->currentData().toInt()), *s, *m_records));
}

} // namespace tailmark::ui
