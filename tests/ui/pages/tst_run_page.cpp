// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_chart.h"
#include "models/event_list_model.h"
#include "models/format.h"
#include "pages/run_page.h"
#include "pages/table_view.h"

#include "demo_run.h"
#include "fake_engine.h"
#include "patience.h"
#include "ui_helpers.h"

#include <QApplication>
#include <QLabel>
#include <QListView>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

/// A run of which five points are in the store, while the sixth is being measured by an engine that only
/// tells of it.
class TestRunPage : public QObject
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
        run.stopAfter = 5;
        run.finish = false;
        m_store = std::make_unique<Store>(std::move(store).value());
        m_run = test::writeDemoRun(*m_store, run);
        m_plan = m_store->loadRun(m_run).value().plan;
        const PointPlan& running = m_plan.points[5];
        RecordBatch records = test::demoRecords(running, run);
        std::erase_if(records.records, [](const RequestRecord& r) { return toSeconds(r.closed) > 20; });
        QVERIFY(m_store->startPoint(m_run, running, utcNow()).ok());
        QVERIFY(m_store->appendRecords(m_run, running.index, records).ok());

        std::vector<RunEvent> events{RunStarted{m_run, "Demo run", m_path.toStdString(), 14, 600,
                                                "http://127.0.0.1:8000/v1", "vllm", "0.6.3", "llama"}};
        for (int i = 0; i < 6; ++i) {
            const PointPlan& p = m_plan.points[static_cast<std::size_t>(i)];
            events.push_back(PointStarted{p.index, p.test, p.kind, p.load, 0, p.warmupS, p.durationS});
            if (i < 5)
                events.push_back(PointFinished{p.index, i > 0, i > 0 ? "valid" : "too_few_samples"});
        }
        events.push_back(RunWarning{"the target told no usage"});
        for (int i = 1; i <= 40; ++i) {
            Progress progress;
            progress.point = {5};
            progress.load.elapsed = fromSeconds(i * 0.5);
            progress.load.intended = progress.load.sent = static_cast<std::uint64_t>(i * 10);
            progress.load.completed = static_cast<std::uint64_t>(i * 9);
            progress.load.inFlight = 48;
            progress.remainingS = 300;
            progress.sendLagP99Ms = 0.4;
            progress.cpuCores = 0.2;
            if (i > 10) {
                progress.outputTokensPerS = 2800 + i;
                progress.requestsPerS = 22;
                progress.headlineMs = {{99, 300}};
            }
            events.push_back(progress);
        }
        m_engine =
            test::writeFakeEngine(m_folder.path(), events, {RunFinished{m_run, "cancelled", 4, 6, ""}});
    }

    void saysWhatToDoWhenNothingRuns()
    {
        StoreSession session(m_path);
        RunController controller(m_engine);
        RunPage page(&controller, &session);
        page.show();
        QVERIFY(hasVisibleLabel(page, QStringLiteral("Plan page")));
    }

    void showsTheRunAndStopsIt()
    {
        StoreSession session(m_path);
        session.setLive(true);
        RunController controller(m_engine);
        RunPage page(&controller, &session);
        page.resize(1100, 700);
        page.show();
        QVERIFY(controller.start(m_plan.matrix, m_path).ok());

        auto* chart = page.findChild<FrontierChart*>();
        auto* points = page.findChild<TableView*>();
        TRY_COMPARE(points->model()->rowCount(), 5); // from the store
        TRY_COMPARE(chart->series().size(), 1);
        QCOMPARE(chart->series().first().points.size(), 5);
        QCOMPARE(*chart->slo(), 1000.0);
        TRY_VERIFY(hasVisibleLabel(
            page, QStringLiteral(
                      "Point 6 of 14, concurrency_sweep · 48 concurrent · measuring · about 5 min left")));
        QVERIFY(hasVisibleLabel(page, QStringLiteral("Send lag p99")));
        TRY_VERIFY(isNear(chart->image().pixelColor(chart->toView({2840, 300}).toPoint()),
                          chart->style().seriesColor(1)));
        const int bar = page.findChild<QProgressBar*>()->value(); // five and a half of fourteen
        QVERIFY(bar > 5000 / 14 && bar < 6000 / 14);
        const QStringList told = events(page);
        QVERIFY(told.filter(QStringLiteral("the target told no usage")).size() == 1);
        QVERIFY(told.filter(QStringLiteral("too few samples")).size() == 1);

        QPushButton* pause = test::buttonWithText(page, QStringLiteral("Pause after point"));
        QTest::mouseClick(pause, Qt::LeftButton);
        TRY_VERIFY(hasVisibleLabel(page, QStringLiteral("pauses after this point")));
        QTest::mouseClick(pause, Qt::LeftButton);
        TRY_COMPARE(controller.state(), RunController::State::Running);
        QTest::mouseClick(test::buttonWithText(page, QStringLiteral("Stop")), Qt::LeftButton);
        TRY_VERIFY(!controller.isActive());
        QVERIFY(hasVisibleLabel(page, QStringLiteral("Results page")));
        QVERIFY(!test::buttonWithText(page, QStringLiteral("Stop"))->isEnabled());
        QCOMPARE(points->model()->rowCount(), 5); // stays to be looked at
    }

    void preparationIsShown()
    {
        RunStarted started{m_run,  "Demo run", m_path.toStdString(),
                           14,     600,        "http://127.0.0.1:8000/v1",
                           "vllm", "0.6.3",    "llama"};
        const QString engine = test::writeFakeEngine(m_folder.path(),
                                                     {started, Preparation{"fitting prompt lengths", 10, 100},
                                                      Preparation{"fitting prompt lengths", 43, 100}},
                                                     {RunFinished{m_run, "cancelled", 0, 0, ""}});
        StoreSession session(m_path);
        RunController controller(engine);
        RunPage page(&controller, &session);
        page.show();
        QVERIFY(controller.start(m_plan.matrix, m_path).ok());
        TRY_VERIFY(hasVisibleLabel(page, QStringLiteral("Fitting prompt lengths · ") + formatShare(0.43)));
        QCOMPARE(events(page).filter(QStringLiteral("Fitting prompt lengths")).size(), 1);
        controller.stop();
        TRY_VERIFY(!controller.isActive());
        QVERIFY(!hasVisibleLabel(page, QStringLiteral("Fitting")));
    }

    void longEventsDoNotCoverOneAnother()
    {
        std::vector<RunEvent> told{RunStarted{m_run, "Demo run", m_path.toStdString(), 14, 600,
                                              "http://127.0.0.1:8000/v1", "vllm", "0.6.3", "llama"}};
        for (int i = 0; i < 30; ++i)
            told.push_back(
                RunWarning{"a warning that is as long as those about lengths that were realised, rows that "
                           "were refused, and caches that nobody proved, so that it takes some lines"});
        const QString engine =
            test::writeFakeEngine(m_folder.path(), told, {RunFinished{m_run, "cancelled", 0, 0, ""}});
        StoreSession session(m_path);
        RunController controller(engine);
        RunPage page(&controller, &session);
        page.resize(1000, 640);
        page.show();
        QVERIFY(controller.start(m_plan.matrix, m_path).ok());
        auto* list = page.findChild<QListView*>();
        TRY_VERIFY(list->model()->rowCount() >= 31);
        QCoreApplication::processEvents();
        const QModelIndex last = list->model()->index(list->model()->rowCount() - 1, 0);
        const QString text = last.data().toString();
        const QRect needed = list->fontMetrics().boundingRect(
            QRect(0, 0, list->viewport()->width() - 8, 10'000), Qt::TextWordWrap, text);
        TRY_VERIFY2(
            list->visualRect(last).height() >= needed.height(),
            qPrintable(QStringLiteral("%1 of %2").arg(list->visualRect(last).height()).arg(needed.height())));
        controller.stop();
        TRY_VERIFY(!controller.isActive());
    }

    void anEngineThatCannotBeginIsTold()
    {
        const QString broken = test::writeFakeEngine(m_folder.path(), {}, {});
        StoreSession session(m_path);
        RunController controller(broken);
        RunPage page(&controller, &session);
        page.show();
        QVERIFY(controller.start(m_plan.matrix, m_path).ok());
        controller.stop();
        TRY_VERIFY(!controller.isActive());
        TRY_VERIFY(hasVisibleLabel(page, QStringLiteral("The run did not begin")));
    }

private:
    static bool isNear(const QColor& a, const QColor& b)
    {
        return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) <
               60;
    }
    static bool hasVisibleLabel(const QWidget& page, const QString& part)
    {
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(part))
                return true;
        return false;
    }
    static QStringList events(const QWidget& page)
    {
        QStringList lines;
        const auto* model = page.findChild<EventListModel*>();
        for (int i = 0; i < model->rowCount(); ++i)
            lines << model->index(i).data().toString();
        return lines;
    }

    QTemporaryDir m_folder;
    QString m_path, m_engine;
    std::unique_ptr<Store> m_store; ///< the engine's connection, open as long as the run goes on
    RunId m_run;
    Plan m_plan;
};

QTEST_MAIN(TestRunPage)
#include "tst_run_page.moc"
