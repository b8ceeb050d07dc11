// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_panel.h"
#include "pages/compare_page.h"
#include "pages/table_view.h"

#include "demo_run.h"
#include "patience.h"
#include "ui_helpers.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLocale>
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

    void oneRunIsNoComparison()
    {
        m_page->setRuns(m_fast, {});
        TRY_VERIFY(anyLabel(QStringLiteral("Twice the same run")));
    }

private:
    FrontierPanel* panel() const { return m_page->findChild<FrontierPanel*>(); }
    QPushButton* button(const QString& text) const { return test::buttonWithText(*m_page, text); }
    bool anyLabel(const QString& part) const { return test::anyLabel(*m_page, part); }
    /// B/A of the throughput at the highest level.
    double levelRatio() const
    {
        for (const TableView* table : m_page->findChildren<TableView*>())
            if (table->accessibleName() == QStringLiteral("Level by level"))
                return table->tableModel().table().rows.last()[3].sort.toDouble();
        return 0;
    }

    QTemporaryDir m_folder;
    QString m_path;
    RunId m_slow, m_fast;
    std::unique_ptr<StoreSession> m_session;
    std::unique_ptr<ComparePage> m_page;
};

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
