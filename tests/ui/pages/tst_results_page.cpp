// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fleet.h"
#include "charts/frontier_panel.h"
#include "models/frontier_data.h"
#include "pages/message_bar.h"
#include "pages/results_edit_dialog.h"
#include "pages/results_fleet_panel.h"
#include "pages/results_library.h"
#include "pages/results_page.h"
#include "pages/results_point_tabs.h"
#include "pages/table_view.h"

#include "demo_run.h"
#include "patience.h"
#include "ui_helpers.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

using namespace tailmark;
using namespace tailmark::ui;

class TestResultsPage : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        QVERIFY(m_folder.isValid());
        m_path = m_folder.filePath(QStringLiteral("runs.sqlite"));
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        test::DemoRun run;
        run.name = "first";
        run.burst = true;
        m_first = test::writeDemoRun(store.value(), run);
        run.name = "second";
        run.engine = "sglang";
        run.seed = 8;
        run.stopAfter = 3;
        m_second = test::writeDemoRun(store.value(), run);
    }

    void init()
    {
        m_session = std::make_unique<StoreSession>(m_path);
        m_page = std::make_unique<ResultsPage>(m_session.get());
        m_page->resize(1100, 700);
        m_page->show();
        m_page->openRun(m_first);
        TRY_VERIFY(m_page->results() && m_page->openedRun() == m_first);
    }
    void cleanup()
    {
        m_page.reset();
        m_session.reset();
    }

    void emptyLibrarySaysWhatToDo()
    {
        StoreSession empty(m_folder.filePath(QStringLiteral("empty.sqlite")));
        ResultsPage page(&empty);
        page.show();
        QSignalSpy read(&empty, &StoreSession::runsChanged);
        QVERIFY(read.wait());
        QVERIFY(test::anyLabel(page, QStringLiteral("Plan page")));
    }

    void showsTheRun()
    {
        QVERIFY(test::anyLabel(*m_page, QStringLiteral("vllm 0.6.3")));
        QVERIFY(test::anyLabel(*m_page, QStringLiteral("shares of all attempted requests")));
        QCOMPARE(panel()->chart()->series().first().points.size(), 8);
        QVERIFY(sentence().contains(QStringLiteral("tok/s")) &&
                sentence().contains(QStringLiteral("p99 TTFT")));
        QVERIFY(test::anyLabel(*m_page, QStringLiteral("interpolated between the measured levels 48 and 64"))); // the bound
        QCOMPARE(points()->pointsView()->model()->rowCount(), 8);
    }

    void draggingTheSloRecomputesFromTheRecords()
    {
        FrontierChart* chart = panel()->chart();
        const QString before = sentence();
        const double attainment = m_page->results()->points[6].slo.attainment;
        const QPoint from(qRound(chart->plotArea().left() + 60), qRound(chart->toView({1000, 1000}).y()));
        const int to = qRound(chart->toView({1000, 2000}).y());
        QTest::mousePress(chart->viewport(), Qt::LeftButton, {}, from);
        for (int y = from.y(); y >= to; --y)
            QTest::mouseMove(chart->viewport(), {from.x(), y});
        TRY_VERIFY(m_page->results()->slo.front().limit > 1500); // already while the button is down
        QTest::mouseRelease(chart->viewport(), Qt::LeftButton, {}, {from.x(), to});
        TRY_COMPARE(m_page->results()->slo, panel()->slo());
        QVERIFY(sentence() != before);
        QVERIFY(m_page->results()->points[6].slo.attainment > attainment);
        auto* reset = button(QStringLiteral("Reset"));
        QVERIFY(reset->isEnabled());
        QTest::mouseClick(reset, Qt::LeftButton);
        TRY_COMPARE(sentence(), before);
    }

    /// What cannot be a limit changes nothing, and says so.
    void textThatIsNoLimitIsSaidSo()
    {
        auto* box = m_page->findChild<QDoubleSpinBox*>();
        QVERIFY(box);
        const double before = box->value();
        QSignalSpy edited(m_page->findChild<FrontierPanel*>(), &FrontierPanel::sloEdited);
        for (const char* typed : {"1e12", "abc", "-5"}) {
            QToolTip::hideText();
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, QLatin1String(typed));
            QTest::keyClick(box, Qt::Key_Return);
            QCOMPARE(box->value(), before);
            QVERIFY2(QToolTip::text().contains(QLatin1String(typed)), qPrintable(QToolTip::text()));
        }
        QCOMPARE(edited.size(), 0);
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("1e3"));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(box->value(), 1000.0);
        QToolTip::hideText();
    }

    void aClickBesideTheRunsKeepsTheOpenOneSelected()
    {
        QListView* list = nullptr;
        for (QListView* each : m_page->findChildren<QListView*>())
            if (each->accessibleName() == QStringLiteral("Stored runs"))
                list = each;
        QVERIFY(list && list->selectionModel()->hasSelection());
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, {20, list->viewport()->height() - 5});
        QVERIFY(list->selectionModel()->hasSelection());
    }

    /// The open run is one of a file that is gone, though the new file has a run of the same number.
    void aReplacedDatabaseShowsItsOwnRun()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("runs.sqlite"));
        const auto write = [&](const char* name) {
            auto store = Store::open(path.toStdString());
            test::DemoRun run;
            run.name = name;
            run.stopAfter = 2;
            return test::writeDemoRun(store.value(), run);
        };
        const RunId before = write("before");
        StoreSession session(path);
        ResultsPage page(&session);
        page.show();
        TRY_VERIFY(page.results() && page.results()->run.info.name == "before");
        for (const char* ending : {"", "-wal", "-shm"})
            QFile::remove(path + QLatin1String(ending));
        QCOMPARE(write("after"), before);
        TRY_VERIFY(page.results() && page.results()->run.info.name == "after");
        QCOMPARE(page.openedRun(), before);
    }

    void choosingATestShowsItsCurve()
    {
        auto* tests = combo(QStringLiteral("Test shown"));
        QCOMPARE(tests->count(), 3);
        tests->setCurrentIndex(1);
        QCOMPARE(panel()->chart()->series().first().points.size(), 6);
        tests->setCurrentIndex(2); // a burst sweeps nothing
        QVERIFY2(sentence().contains(QStringLiteral("Backlog")), qPrintable(sentence())); // what it is measured for
        QCOMPARE(points()->pointsView()->model()->rowCount(), 1);
    }

    /// Of another run a point with the same number is another point.
    void whatStandsBelowIsOfTheOpenRun()
    {
        const auto rates = [&] {
            QStringList cells;
            for (const TableView* table : points()->findChildren<TableView*>())
                if (table->accessibleName() == QStringLiteral("Rates and requests in flight along the point"))
                    for (int row = 0; row < table->model()->rowCount(); ++row)
                        for (int column = 0; column < table->model()->columnCount(); ++column)
                            cells << table->model()->index(row, column).data().toString();
            return cells;
        };
        emit points()->pointChosen({0});
        emit points()->pointChosen({2});
        TRY_VERIFY(points()->chosen().value == 2 && !rates().isEmpty());
        const QStringList first = rates();
        m_page->openRun(m_second);
        TRY_VERIFY(m_page->results() && m_page->openedRun() == m_second);
        TRY_VERIFY(!rates().isEmpty());
        emit points()->pointChosen({0});
        emit points()->pointChosen({2});
        TRY_VERIFY(points()->chosen().value == 2 && !rates().isEmpty());
        const QStringList second = rates();
        QVERIFY(second != first);

        // Back and forth with the same point chosen.
        m_page->openRun(m_first);
        TRY_VERIFY(m_page->results() && m_page->openedRun() == m_first);
        emit points()->pointChosen({2});
        TRY_VERIFY(rates() == first);
        m_page->openRun(m_second);
        TRY_VERIFY(m_page->results() && m_page->openedRun() == m_second);
        emit points()->pointChosen({2});
        TRY_VERIFY(rates() == second);
    }

    void aPointIsTheSameEverywhere()
    {
        FrontierChart* chart = panel()->chart();
        const FrontierPoint p = chart->series().first().points[4];
        QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->toView({p.x, p.y}).toPoint());
        QCOMPARE(points()->chosen(), p.point);
        QCOMPARE(points()->pointsView()->currentIndex().row(), 4);
        QCOMPARE(combo(QStringLiteral("Point shown"))->currentText(), QStringLiteral("32 concurrent"));
        points()->pointsView()->setFocus();
        QTest::keyClick(points()->pointsView(), Qt::Key_Down);
        QCOMPARE(points()->chosen(), chart->series().first().points[5].point);
        // Every tab has something to say about it.
        for (int i = 1; i < points()->tabs()->count(); ++i) {
            points()->tabs()->setCurrentIndex(i);
            QVERIFY(!points()->tabs()->tabText(i).isEmpty());
        }
        QVERIFY(test::anyLabel(*points(), QStringLiteral("bandwidth"))); // the bound with its inputs
        const auto tables = points()->findChildren<TableView*>();
        for (const TableView* table : tables)
            if (table->accessibleName() != QStringLiteral("Phases of the cold start")) // of a cold start only
                TRY_VERIFY2(table->model()->rowCount() > 0, qPrintable(table->accessibleName()));
    }

    /// The figures of the Fleet tab are the core's, under the limit that is set.
    void theFleetIsThatOfTheCore()
    {
        auto* fleet = points()->findChild<FleetPanel*>();
        points()->tabs()->setCurrentWidget(fleet);
        auto* demand = test::named<QLineEdit>(*fleet, QStringLiteral("Demand"));
        auto* headroom = test::named<QLineEdit>(*fleet, QStringLiteral("Headroom, %"));
        auto* unit = test::named<QComboBox>(*fleet, QStringLiteral("Unit of the demand"));
        QVERIFY(demand && headroom && unit);
        const auto check = [&](const FleetDemand& asked) {
            const OperatingPoint* op = operatingPointOf(*m_page->results(), "concurrency_sweep");
            QVERIFY(op);
            const FleetSize size = fleetFor(*op, asked);
            QVERIFY(size.replicas && *size.replicas > 1);
            QVERIFY2(test::anyLabel(*fleet, QString::fromStdString(size.sentence)), size.sentence.c_str());
            QVERIFY(test::anyLabel(*fleet, QStringLiteral("%1 replica").arg(*size.replicas)));
        };
        QVERIFY(test::anyLabel(*fleet, QStringLiteral("Say what the fleet is to carry")));
        test::typeInto(demand, QStringLiteral("300"));
        check({300, FleetUnit::RequestsPerS, 0.2});
        test::typeInto(headroom, QStringLiteral("35"));
        check({300, FleetUnit::RequestsPerS, 0.35});
        unit->setCurrentIndex(1);
        test::typeInto(demand, QStringLiteral("90000"));
        check({90000, FleetUnit::TokensPerS, 0.35});
        m_page->findChild<QDoubleSpinBox*>()->setValue(300); // less is carried within a lower limit
        TRY_COMPARE(m_page->results()->slo.front().limit, 300.0);
        check({90000, FleetUnit::TokensPerS, 0.35});
        test::typeInto(headroom, QStringLiteral("100"));
        QVERIFY(test::anyLabel(*fleet, QStringLiteral("Say what the fleet is to carry")));
        combo(QStringLiteral("Test shown"))->setCurrentIndex(2); // a burst has no capacity
        QVERIFY(test::anyLabel(*fleet, QStringLiteral("Without an operating point")));
        QVERIFY(!demand->isEnabled());
    }

    void tableCopiesAsTsv()
    {
        points()->pointsView()->setFocus();
        QTest::keyClick(points()->pointsView(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines =
            QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 9);
        QVERIFY(lines.first().contains(QStringLiteral("Throughput [tok/s]\tp99 TTFT [ms]")));
    }

    void exportsEveryKind()
    {
        QSignalSpy exported(m_session.get(), &StoreSession::exported);
        const QList<std::pair<RunExport, QString>> kinds{{RunExport::PointsCsv, QStringLiteral("p.csv")},
                                                         {RunExport::RecordsCsv, QStringLiteral("r.csv")},
                                                         {RunExport::Json, QStringLiteral("r.json")},
                                                         {RunExport::Html, QStringLiteral("r.html")},
                                                         {RunExport::Markdown, QStringLiteral("r.md")}};
        for (const auto& [format, name] : kinds)
            m_page->exportRun(format, m_folder.filePath(name));
        TRY_COMPARE(exported.size(), kinds.size());
        for (const auto& [format, name] : kinds)
            QVERIFY2(QFileInfo(m_folder.filePath(name)).size() > 500, qPrintable(name));
        m_page->exportReportPdf(m_folder.filePath(QStringLiteral("r.pdf")));
        QFile report(m_folder.filePath(QStringLiteral("r.pdf")));
        QVERIFY(report.open(QIODevice::ReadOnly));
        const QByteArray pages = report.readAll();
        QVERIFY(pages.startsWith("%PDF"));
        const auto count =
            pages.count("/Type /Page\n"); // rows are as high as their letters, not three times that
        QVERIFY2(count > 5 && count <= 18, qPrintable(QString::number(count)));
        m_page->exportChart(m_folder.filePath(QStringLiteral("c.svg")));
        QVERIFY(QFileInfo(m_folder.filePath(QStringLiteral("c.svg"))).size() > 2000);
        m_page->exportRun(RunExport::Json, m_folder.filePath(QStringLiteral("no/such/folder/r.json")));
        TRY_VERIFY(test::anyLabel(*m_page, QStringLiteral("no/such/folder")));
    }

    /// Opened before its first point was finished, as after pressing Run.
    void aRunThatGoesOnFillsItself()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        const test::DemoRun run = test::liveDemoRun();
        const RunId id = test::writeDemoRun(store.value(), run);
        m_session->setLive(true);
        m_page->openRun(id);
        TRY_VERIFY(m_page->results() && m_page->openedRun() == id);
        QCOMPARE(points()->chosen(), PointIndex{});
        QVERIFY(sentence().startsWith(QStringLiteral("Not measured yet")));
        QVERIFY(test::anyLabel(*points(), QStringLiteral("Not measured yet")));
        const PointPlan point = m_page->results()->run.plan.points.front();
        const RecordBatch records = test::demoRecords(point, run);
        QVERIFY(store.value().startPoint(id, point, utcNow()).ok());
        QVERIFY(store.value().appendRecords(id, point.index, records).ok());
        QVERIFY(store.value().finishPoint(id, point.index, test::demoFacts(point, records)).ok());
        TRY_COMPARE(points()->chosen(), point.index);
        QCOMPARE(panel()->chart()->series().first().points.size(), 1);
        combo(QStringLiteral("Test shown"))->setCurrentIndex(1);
        QVERIFY(sentence().startsWith(QStringLiteral("Not measured yet")));
        QVERIFY(store.value().finishRun(id, RunState::Done).ok());
        TRY_VERIFY(test::anyLabel(*m_page, QStringLiteral("done")));
        m_session->deleteRun(id);
        TRY_VERIFY(m_page->openedRun() != id);
    }

    /// Every page hears of every failure: the session is one.
    void failuresOfOtherPagesAreNotTold()
    {
        QSignalSpy failed(m_session.get(), &StoreSession::failed);
        m_session->requestRecords({99}, {0});
        TRY_COMPARE(failed.size(), 1);
        QVERIFY(!test::anyLabel(*m_page, failed.first().at(1).toString()));
    }

    void filterRenameDeleteUndo()
    {
        auto* library = m_page->findChild<RunLibrary*>();
        auto* list = library->findChild<QListView*>();
        auto* filter = library->findChild<QLineEdit*>();
        QCOMPARE(list->model()->rowCount(), 2);
        QTest::keyClicks(filter, QStringLiteral("sglang"));
        QCOMPARE(list->model()->rowCount(), 1);
        filter->clear();

        library->select(m_second);
        TRY_COMPARE(m_page->openedRun(), m_second);
        list->setFocus();
        library->renameCurrent();
        auto* editor = list->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->setText(QStringLiteral("renamed"));
        QTest::keyClick(editor, Qt::Key_Return);
        TRY_VERIFY(test::anyLabel(*m_page, QStringLiteral("renamed")));

        list->setFocus();
        QTest::keyClick(list, Qt::Key_Delete);
        TRY_COMPARE(list->model()->rowCount(), 1);
        TRY_COMPARE(m_page->openedRun(), m_first);
        auto* message = library->findChild<MessageBar*>();
        QVERIFY(message->isVisible() && message->text().contains(QStringLiteral("renamed")));
        QTest::mouseClick(message->button(), Qt::LeftButton);
        TRY_COMPARE(list->model()->rowCount(), 2);
        TRY_COMPARE(m_page->openedRun(), m_second); // back, and open again
    }

    void tagsAndNote()
    {
        auto* library = m_page->findChild<RunLibrary*>();
        library->editCurrent();
        auto* dialog = library->findChild<RunEditDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("before the driver update"));
        dialog->findChildren<QLineEdit*>()[1]->setText(QStringLiteral("baseline, review, baseline"));
        QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save),
                          Qt::LeftButton);
        TRY_VERIFY(test::anyLabel(*m_page, QStringLiteral("#baseline  #review  before the driver update")));
    }

    void everyControlHasAName()
    {
        for (const QComboBox* box : m_page->findChildren<QComboBox*>())
            QVERIFY(!box->accessibleName().isEmpty());
        for (const PlotView* plot : m_page->findChildren<PlotView*>())
            QVERIFY(!plot->accessibleName().isEmpty());
        for (const TableView* table : m_page->findChildren<TableView*>())
            QVERIFY(!table->accessibleName().isEmpty());
    }

private:
    FrontierPanel* panel() const { return m_page->findChild<FrontierPanel*>(); }
    PointTabs* points() const { return m_page->findChild<PointTabs*>(); }
    QComboBox* combo(const QString& name) const
    {
        for (QComboBox* box : m_page->findChildren<QComboBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    QPushButton* button(const QString& text) const { return test::buttonWithText(*m_page, text); }
    QString sentence() const
    {
        for (QLabel* label : m_page->findChildren<QLabel*>())
            if (label->accessibleName() == QStringLiteral("Operating point"))
                return label->text();
        return {};
    }

    QTemporaryDir m_folder;
    QString m_path;
    RunId m_first, m_second;
    std::unique_ptr<StoreSession> m_session;
    std::unique_ptr<ResultsPage> m_page;
};

QTEST_MAIN(TestResultsPage)
#include "tst_results_page.moc"
