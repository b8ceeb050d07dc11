// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_page.h"

#include "analysis/bound.h"
#include "analysis/burst.h"
#include "charts/chart_export.h"
#include "charts/frontier_panel.h"
#include "charts/report_pdf.h"
#include "models/format.h"
#include "models/tables.h"
#include "pages/empty_state.h"
#include "pages/message_bar.h"
#include "pages/results_header.h"
#include "pages/results_library.h"
#include "pages/results_point_tabs.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

namespace {

/// A run's name without what other systems allow in no file name.
QString fileNameFor(const std::string& run, const QString& ending)
{
    static const QRegularExpression refused(QStringLiteral("[\\x00-\\x1f<>:\"/\\\\|?*]+"));
    return QStringLiteral("%1.%2").arg(text(run).replace(refused, QStringLiteral("-")), ending);
}

} // namespace

ResultsPage::ResultsPage(StoreSession* store, QWidget* parent)
    : QWidget(parent), m_store(store), m_library(new RunLibrary(store, this)),
      m_stack(new QStackedWidget(this)), m_empty(new EmptyState({}, {}, this)),
      m_message(new MessageBar(MessageBar::Stay::AWhile, this))
{
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeDetail());
    auto* right = new QWidget(this);
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(7, 0, 0, 0);
    rightColumn->setSpacing(6);
    rightColumn->addWidget(m_stack, 1);
    rightColumn->addWidget(m_message);
    auto* split = new QSplitter(this);
    split->setObjectName(QStringLiteral("results.library"));
    split->setChildrenCollapsible(false);
    m_library->setMinimumWidth(200);
    auto* left = new QWidget(this);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 7, 0);
    leftColumn->addWidget(m_library);
    split->addWidget(left);
    split->addWidget(right);
    split->setStretchFactor(1, 1);
    split->setSizes({320, 1000});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(split);

    connect(m_library, &RunLibrary::runOpened, this, &ResultsPage::showRun);
    connect(m_library, &RunLibrary::compareRequested, this, &ResultsPage::compareRequested);
    connect(m_store, &StoreSession::resultsReady, this, &ResultsPage::takeResults);
    connect(m_store, &StoreSession::recordsReady, this,
            [this](RequestNumber request, const RecordsPtr& records) {
                if (request == m_recordsRequest)
                    m_points->setRecords(records);
            });
    connect(m_store, &StoreSession::runsChanged, this, [this] {
        for (const RunInfo& run : *m_store->runs())
            if (m_results && run.id == m_run) {
                m_header->setInfo(run);
                if (run.pointsDone != m_results->run.info.pointsDone ||
                    run.state != m_results->run.info.state)
                    ask(m_slo); // the run goes on, or has just ended
            }
        showState();
    });
    connect(m_store, &StoreSession::exported, this, [this](RequestNumber request, const QString& path) {
        if (m_exportRequests.remove(request))
            m_message->show(MessageBar::Kind::Ok, tr("Written: %1").arg(path));
    });
    connect(m_store, &StoreSession::failed, this, [this](RequestNumber request, const QString& message) {
        const bool ours = request == m_resultsRequest || request == m_recordsRequest ||
                          m_exportRequests.remove(request); // other pages ask the same session
        if (request == 0 || !ours)
            return;
        if (request == m_resultsRequest)
            m_resultsRequest = 0;
        m_message->show(MessageBar::Kind::Error, message);
    });
    showRun(m_library->current());
}

QWidget* ResultsPage::makeDetail()
{
    auto* detail = new QWidget(this);
    m_header = new RunHeader(detail);
    m_test = new QComboBox(detail);
    m_test->setAccessibleName(tr("Test shown"));
    m_test->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_sentence = new QLabel(detail);
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setAccessibleName(tr("Operating point"));
    m_bound = new QLabel(detail);
    m_bound->setProperty("role", QStringLiteral("secondary"));
    m_bound->setTextFormat(Qt::PlainText);
    m_bound->setWordWrap(true);
    m_frontier = new FrontierPanel(FrontierPanel::SloControl::Editable, detail);
    m_points = new PointTabs(detail);
    auto* exportButton = new QPushButton(tr("Export"), detail);
    makeExportMenu(exportButton);

    auto* top = new QHBoxLayout;
    top->addWidget(m_header, 1);
    top->addWidget(exportButton, 0, Qt::AlignTop);
    auto* second = new QHBoxLayout;
    second->setSpacing(10);
    second->addWidget(m_test, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_sentence);
    words->addWidget(m_bound);
    second->addLayout(words, 1);
    auto* split = new QSplitter(Qt::Vertical, detail);
    split->setObjectName(QStringLiteral("results.detail"));
    split->setChildrenCollapsible(false);
    split->addWidget(m_frontier);
    split->addWidget(m_points);
    split->setStretchFactor(0, 5);
    split->setStretchFactor(1, 4);
    split->setSizes({500, 400});
    auto* column = new QVBoxLayout(detail);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addLayout(top);
    column->addLayout(second);
    column->addWidget(split, 1);

    connect(m_test, &QComboBox::currentIndexChanged, this, [this] {
        if (m_results)
            showTest();
    });
    connect(m_frontier, &FrontierPanel::axesChanged, this, &ResultsPage::showFrontier);
    connect(m_frontier, &FrontierPanel::sloDragged, this, [this] { ask(m_frontier->slo()); });
    connect(m_frontier, &FrontierPanel::sloEdited, this, [this] { ask(m_frontier->slo()); });
    connect(m_frontier->chart(), &FrontierChart::pointSelected, this, &ResultsPage::choosePoint);
    connect(m_points, &PointTabs::pointChosen, this, &ResultsPage::choosePoint);
    return detail;
}

void ResultsPage::makeExportMenu(QPushButton* button)
{
    auto* menu = new QMenu(button);
    menu->addAction(tr("Copy chart as image"), m_frontier->chart(), &PlotView::copyImage);
    for (const char* ending : {"png", "svg", "pdf"}) {
        const QString name = QString::fromLatin1(ending);
        menu->addAction(tr("Chart as %1…").arg(name.toUpper()), this, [this, name] { askChartFile(name); });
    }
    menu->addSeparator();
    menu->addAction(tr("Points as CSV…"), this,
                    [this] { askRunFile(RunExport::PointsCsv, QStringLiteral("csv")); });
    menu->addAction(tr("Records as CSV…"), this,
                    [this] { askRunFile(RunExport::RecordsCsv, QStringLiteral("records.csv")); });
    menu->addAction(tr("Results as JSON…"), this,
                    [this] { askRunFile(RunExport::Json, QStringLiteral("json")); });
    menu->addSeparator();
    menu->addAction(tr("Report as HTML…"), this,
                    [this] { askRunFile(RunExport::Html, QStringLiteral("html")); });
    menu->addAction(tr("Report as Markdown…"), this,
                    [this] { askRunFile(RunExport::Markdown, QStringLiteral("md")); });
    menu->addAction(tr("Report as PDF…"), this, &ResultsPage::askReportPdf);
    button->setMenu(menu);
}

// ---- files

void ResultsPage::askChartFile(const QString& ending)
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Write the chart"),
                                                      fileNameFor(m_results->run.info.name, ending),
                                                      QStringLiteral("*.%1").arg(ending));
    if (!path.isEmpty())
        exportChart(path);
}

void ResultsPage::askRunFile(RunExport format, const QString& ending)
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Write the run"), fileNameFor(m_results->run.info.name, ending),
                                     QStringLiteral("*.%1").arg(ending.section(QLatin1Char('.'), -1)));
    if (!path.isEmpty())
        exportRun(format, path);
}

void ResultsPage::askReportPdf()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Write the report"), fileNameFor(m_results->run.info.name, QStringLiteral("pdf")),
        QStringLiteral("*.pdf"));
    if (!path.isEmpty())
        exportReportPdf(path);
}

void ResultsPage::exportReportPdf(const QString& path)
{
    if (!m_results)
        return;
    const Status saved = saveReportPdf(makeReport(*m_results), path);
    if (saved)
        m_message->show(MessageBar::Kind::Ok, tr("Written: %1").arg(path));
    else
        m_message->show(MessageBar::Kind::Error, QString::fromStdString(saved.error().line()));
}

void ResultsPage::exportChart(const QString& path)
{
    const Status saved =
        saveCharts({m_frontier->chart()}, path, m_results ? text(m_results->run.info.name) : QString());
    if (saved)
        m_message->show(MessageBar::Kind::Ok, tr("Written: %1").arg(path));
    else
        m_message->show(MessageBar::Kind::Error, QString::fromStdString(saved.error().line()));
}

void ResultsPage::exportRun(RunExport format, const QString& path)
{
    m_exportRequests.insert(m_store->requestExport(m_run, format, path, m_slo));
}

// ---- the run

void ResultsPage::openRun(RunId run)
{
    m_library->select(run);
}

void ResultsPage::showRun(RunId run)
{
    m_store->drop(std::exchange(m_resultsRequest, 0));
    m_store->drop(std::exchange(m_recordsRequest, 0));
    if (run != m_run)
        m_message->hide(); // it tells of the run before
    m_run = run;
    m_results.reset();
    m_slo.reset();
    m_askAgain = false;
    if (run.value != 0)
        ask({});
    showState();
}

void ResultsPage::showState()
{
    if (m_results) {
        m_stack->setCurrentIndex(1);
        return;
    }
    if (m_run.value != 0)
        m_empty->setText(tr("Reading the run…"), {});
    else if (m_store->runs()->empty())
        m_empty->setText(tr("No runs yet"), tr("Runs that you start on the Plan page are kept here, point by "
                                               "point, also when they are stopped early."));
    else
        m_empty->setText(tr("No run is open"), tr("Choose one in the list, or clear the filter."));
    m_stack->setCurrentIndex(0);
}

void ResultsPage::ask(const std::optional<Slo>& slo)
{
    m_slo = slo;
    if (m_resultsRequest != 0) {
        m_askAgain = true;
        return;
    }
    m_resultsRequest = m_store->requestResults(m_run, m_slo);
}

void ResultsPage::takeResults(RequestNumber request, const ResultsPtr& results)
{
    if (request == 0 || request != m_resultsRequest)
        return;
    m_resultsRequest = 0;
    const bool opened = !m_results;
    m_results = results;
    m_header->setRun(results->run);
    if (opened) {
        const QSignalBlocker quiet(m_test);
        m_test->clear();
        m_test->addItems(testsOf(results->run.plan));
        m_test->setVisible(m_test->count() > 1);
        m_points->setResults(nullptr, {});
        showTest();
    } else {
        showFrontier();
        m_points->setResults(m_results, m_test->currentText().toStdString());
        if (m_points->chosen().value < 0)
            chooseFirst(); // a run that goes on had no point yet
    }
    showState();
    if (std::exchange(m_askAgain, false))
        ask(m_slo);
}

void ResultsPage::showTest()
{
    const std::string test = m_test->currentText().toStdString();
    FrontierAxes axes = defaultAxes(m_results->run.plan, m_results->slo, test);
    axes.x = m_frontier->axes().x; // the reader's choice stays
    m_frontier->setSlo(m_results->slo, m_results->run.plan.matrix.slo);
    m_frontier->setAxes(axes);
    m_frontier->chart()->zoomToFit();
    showFrontier();
    m_points->setResults(m_results, test);
    chooseFirst();
}

/// What to look at first: the last level that passes, else the first one there is.
void ResultsPage::chooseFirst()
{
    const std::string test = m_test->currentText().toStdString();
    PointIndex first;
    for (const PointSummary& s : m_results->points)
        if (s.point.test == test && (first.value < 0 || (s.verdict.valid && s.slo.met)))
            first = s.point.index;
    choosePoint(first);
}

void ResultsPage::showFrontier()
{
    if (!m_results)
        return;
    const std::string test = m_test->currentText().toStdString();
    const FrontierSeries series = frontierSeries(*m_results, test, m_frontier->axes());
    m_frontier->setSlo(m_results->slo, m_results->run.plan.matrix.slo);
    m_frontier->chart()->setSeries({series});
    const QString missing = whyNoPoints(*m_results, test);
    m_frontier->setVisible(!isColdStart(test)); // it has no curve: its phases take the room
    m_frontier->chart()->setMessage(
        !series.points.isEmpty() ? QString()
        : !missing.isEmpty()     ? missing
                                 : tr("No finished point of this test has both values. Choose other axes, "
                                          "or look at Outcomes."));
    const OperatingPoint* op = operatingPointOf(*m_results, test);
    m_sentence->setText(op ? text(op->sentence) : !missing.isEmpty() ? missing : withoutOperatingPoint(test));
    showBound(test);
}

bool ResultsPage::isColdStart(const std::string& test) const
{
    return std::ranges::any_of(m_results->points,
                               [&](const PointSummary& s) { return s.point.test == test && s.coldStart; });
}

QString ResultsPage::withoutOperatingPoint(const std::string& test) const
{
    for (const PointSummary& s : m_results->points)
        if (s.point.test == test && s.coldStart)
            return text(coldStartSentence(*s.coldStart));
        else if (s.point.test == test && s.burst)
            return text(burstSentence(*s.burst));
    return tr("This test sweeps no load, so it has no operating point.");
}

/// What the last passing level reached of its bound, where the matrix states one.
void ResultsPage::showBound(const std::string& test)
{
    QString line;
    for (const OperatingBound& bound :
         operatingBounds(boundFiguresOf(*m_results), m_results->operatingPoints, m_results->points))
        if (bound.test == test && !bound.check.sentence.empty()) {
            line = tr("At %1: %2.").arg(formatLoad(bound.load), text(bound.check.sentence));
            m_bound->setToolTip(text(bound.check.text));
        }
    m_bound->setText(line);
    m_bound->setVisible(!line.isEmpty());
}

void ResultsPage::choosePoint(PointIndex point)
{
    m_frontier->chart()->setSelected(point);
    if (point == m_points->chosen() && point.value >= 0)
        return;
    m_points->choose(point);
    m_points->setRecords(nullptr);
    m_store->drop(std::exchange(m_recordsRequest, 0));
    if (point.value >= 0)
        m_recordsRequest = m_store->requestRecords(m_run, point);
}

} // namespace tailmark::ui
