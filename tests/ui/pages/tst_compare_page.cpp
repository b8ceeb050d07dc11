// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_panel.h"
#include "pages/compare_page.h"
#include "pages/table_view.h"

#include "demo_run.h"
#include "foreign/import.h"
#include "patience.h"
#include "ui_helpers.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QInputDialog>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace tailmark;
using namespace tailmark::ui;

class TestComparePage : public QObject
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
        run.name = "slow";
        m_slow = test::writeDemoRun(store.value(), run);
        run.name = "fast";
        run.quantization = "fp8";
        run.server.streams = 80;
        m_fast = test::writeDemoRun(store.value(), run);
    }

    void init()
    {
        m_session = std::make_unique<StoreSession>(m_path);
        m_page = std::make_unique<ComparePage>(m_session.get());
        m_page->resize(1100, 700);
        m_page->show();
        TRY_COMPARE(panel()->chart()->series().size(), 2);
    }
    void cleanup()
    {
        m_page.reset();
        m_session.reset();
    }

    void newestAgainstTheOneBefore()
    {
        QCOMPARE(m_page->runs()[0], m_slow);
        QCOMPARE(m_page->runs()[1], m_fast);
        QVERIFY(panel()->chart()->series()[0].name.contains(QStringLiteral("slow")));
        QVERIFY(anyLabel(QStringLiteral("quantization"))); // what differs, in the sentence
        QVERIFY(anyLabel(QStringLiteral("fast has")));     // the claim
        for (const TableView* table : m_page->findChildren<TableView*>())
            QVERIFY2(table->model()->rowCount() > 0, qPrintable(table->accessibleName()));
    }

    void swapTurnsTheRatiosRound()
    {
        const double before = levelRatio();
        QTest::mouseClick(button(QStringLiteral("Swap")), Qt::LeftButton);
        TRY_COMPARE(m_page->runs()[0], m_fast);
        TRY_VERIFY(panel()->chart()->series()[0].name.contains(QStringLiteral("fast")));
        QVERIFY(before > 1 && levelRatio() < 1);
        QVERIFY(qAbs(before * levelRatio() - 1) < 1e-9);
    }

    void bothUnderOneLimit()
    {
        auto* limit = panel()->findChild<QDoubleSpinBox*>();
        limit->setValue(400);
        TRY_VERIFY(anyLabel(QStringLiteral("within 400 ms")));
        QCOMPARE(*panel()->chart()->slo(), 400.0);
        for (const FrontierSeries& series : panel()->chart()->series())
            QVERIFY(series.mark);
    }

    void sentenceGoesToTheClipboard()
    {
        QTest::mouseClick(button(QStringLiteral("Copy sentence")), Qt::LeftButton);
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY2(text.contains(QStringLiteral("within 1 s")) && text.contains(QStringLiteral("interval")),
                 qPrintable(text));
    }

    void aTestToComeIsSaidToBe()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        const RunId id = test::writeDemoRun(store.value(), test::liveDemoRun());
        m_session->refresh();
        TRY_COMPARE(m_session->runs()->size(), std::size_t(3));
        m_page->setRuns(m_fast, id);
        TRY_VERIFY(anyLabel(QStringLiteral("B: Not measured yet")));
        QVERIFY(store.value().finishRun(id, RunState::Cancelled).ok());
        QVERIFY(store.value().deleteRun(id).ok());
    }

    void aThirdRunIsLaidOverBoth()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        test::DemoRun run;
        run.name = "third";
        run.server.streams = 64;
        const RunId third = test::writeDemoRun(store.value(), run);
        m_session->refresh();
        TRY_COMPARE(m_session->runs()->size(), std::size_t(3));
        m_page->setRuns(m_slow, m_fast);
        QTest::mouseClick(button(QStringLiteral("Add a run")), Qt::LeftButton);
        QCOMPARE(m_page->runs(), (std::vector<RunId>{m_slow, m_fast, third}));
        TRY_COMPARE(panel()->chart()->series().size(), 3);
        QVERIFY(!button(QStringLiteral("Add a run"))->isEnabled()); // there is no fourth
        auto* against =
            test::named<QComboBox>(*m_page, QStringLiteral("Run that is told against the baseline"));
        QVERIFY(against);
        QVERIFY(anyLabel(QStringLiteral("fast has")));
        against->setCurrentIndex(1);
        emit against->activated(1);
        QVERIFY(!anyLabel(QStringLiteral("fast has")));
        auto* take = test::named<QToolButton>(*m_page, QStringLiteral("Take C away"));
        QVERIFY(take);
        QTest::mouseClick(take, Qt::LeftButton);
        TRY_COMPARE(panel()->chart()->series().size(), 2);
        QVERIFY(anyLabel(QStringLiteral("fast has")));
        QVERIFY(store.value().deleteRun(third).ok());
    }

    void theColumnsHaveTheLetterOfTheRun()
    {
        const auto heads = [this] {
            QStringList titles;
            for (const Column& column : table(QStringLiteral("Level by level"))->tableModel().table().columns)
                titles << column.title;
            return titles.join(QLatin1Char('|'));
        };
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        test::DemoRun run;
        run.name = "third";
        const RunId third = test::writeDemoRun(store.value(), run);
        m_session->refresh();
        TRY_COMPARE(m_session->runs()->size(), std::size_t(3));
        m_page->setRuns(m_slow, m_fast);
        QTest::mouseClick(button(QStringLiteral("Add a run")), Qt::LeftButton);
        TRY_COMPARE(panel()->chart()->series().size(), 3);
        QVERIFY2(heads().contains(QStringLiteral("|B/A|")), qPrintable(heads()));
        auto* against =
            test::named<QComboBox>(*m_page, QStringLiteral("Run that is told against the baseline"));
        against->setCurrentIndex(1);
        emit against->activated(1);
        QVERIFY2(heads().contains(QStringLiteral("|C: throughput [tok/s]|C/A|")) &&
                     !heads().contains(QStringLiteral("|B:")),
                 qPrintable(heads()));
        QVERIFY(store.value().deleteRun(third).ok());
    }

    /// Ours beside one of vLLM's: curve, levels and capacity follow vLLM's definitions, and the page says so.
    void besideAnotherToolsRunOursIsCountedAsThatCounts()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        std::vector<ForeignLevel> levels;
        for (const char* name :
             {"/foreign/vllm-c8.json", "/foreign/vllm-c32.json", "/foreign/vllm-c64.json"}) {
            auto read = readForeignResult(std::string(TAILMARK_TEST_DATA) + name, "auto");
            QVERIFY(read.ok());
            levels.insert(levels.end(), read.value().begin(), read.value().end());
        }
        const auto theirs = importForeignRun(store.value(), "theirs", "concurrency_sweep", levels);
        QVERIFY(theirs.ok());
        m_session->refresh();
        TRY_COMPARE(m_session->runs()->size(), std::size_t(3));
        QVERIFY(panel()->chart()->series()[0].points.first().y > 40); // ms to the first token
        m_page->setRuns(m_slow, theirs.value());
        TRY_VERIFY(anyLabel(
            QStringLiteral("is counted as theirs is, as vLLM counts: TTFT ends at the first event")));
        // Its first event of a request, which has no token, comes after 2 ms.
        for (const FrontierPoint& point : panel()->chart()->series()[0].points)
            QVERIFY2(point.y > 1.9 && point.y < 2.1, qPrintable(QString::number(point.y)));
        QVERIFY(store.value().deleteRun(theirs.value()).ok());
    }

    void aBaselineIsKeptByItsName()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        test::DemoRun run;
        run.name = "newest";
        const RunId newest = test::writeDemoRun(store.value(), run);
        m_session->refresh();
        TRY_COMPARE(m_session->runs()->size(), std::size_t(3));
        m_page->setRuns(m_slow, m_fast);
        baselineAction(QStringLiteral("Keep as baseline…"))->trigger();
        auto* dialog = m_page->findChild<QInputDialog*>();
        QVERIFY(dialog);
        dialog->setTextValue(QStringLiteral("  nightly "));
        dialog->accept();
        TRY_COMPARE(m_session->baselines(), (Baselines{{"nightly", m_slow}}));
        QCOMPARE(m_page->runs(), (std::vector<RunId>{m_slow, m_fast})); // what was chosen stays
        QComboBox* first = test::named<QComboBox>(*m_page, QStringLiteral("A (baseline)"));
        QVERIFY2(first->itemText(0).startsWith(QStringLiteral("Baseline nightly: slow")),
                 qPrintable(first->itemText(0)));

        m_page->setRuns(newest, m_fast);
        baselineAction(QStringLiteral("Compare with baseline “nightly”"))->trigger();
        QCOMPARE(m_page->runs(), (std::vector<RunId>{m_slow, m_fast}));
        m_page->setRuns(m_fast, m_slow); // the baseline is the candidate: they change places
        baselineAction(QStringLiteral("Compare with baseline “nightly”"))->trigger();
        QCOMPARE(m_page->runs(), (std::vector<RunId>{m_slow, m_fast}));

        baselineAction(QStringLiteral("Forget baseline “nightly”"))->trigger();
        TRY_VERIFY(m_session->baselines().empty());
        QVERIFY(store.value().deleteRun(newest).ok());
    }

    void oneRunIsNoComparison()
    {
        m_page->setRuns(m_fast, {});
        TRY_VERIFY(anyLabel(QStringLiteral("Twice the same run")));
    }

private:
    FrontierPanel* panel() const { return m_page->findChild<FrontierPanel*>(); }
    QPushButton* button(const QString& text) const { return test::buttonWithText(*m_page, text); }
    bool anyLabel(const QString& part) const { return test::anyLabel(*m_page, part); }
    TableView* table(const QString& name) const
    {
        for (TableView* each : m_page->findChildren<TableView*>())
            if (each->accessibleName() == name)
                return each;
        return nullptr;
    }
    QAction* baselineAction(const QString& words) const
    {
        QMenu* menu = button(QStringLiteral("Baseline"))->menu();
        emit menu->aboutToShow();
        for (QAction* action : menu->actions())
            if (action->text() == words)
                return action;
        qFatal("no action %s", qPrintable(words));
    }
    /// B/A of the throughput at the highest level.
    double levelRatio() const
    {
        return table(QStringLiteral("Level by level"))->tableModel().table().rows.last()[3].sort.toDouble();
    }

    QTemporaryDir m_folder;
    QString m_path;
    RunId m_slow, m_fast;
    std::unique_ptr<StoreSession> m_session;
    std::unique_ptr<ComparePage> m_page;
};

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
