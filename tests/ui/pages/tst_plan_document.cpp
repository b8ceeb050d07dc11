// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

namespace {

Matrix oneTest()
{
    Matrix matrix;
    matrix.name = "One";
    matrix.tests.emplace_back();
    return matrix;
}

} // namespace

class TestPlanDocument : public QObject
{
    Q_OBJECT

private slots:
    void editsOfOneFieldAreOneStep()
    {
        PlanDocument document;
        document.reset(oneTest(), {});
        const auto seed = [&](std::uint64_t value) {
            document.edit("Seed", "workload.seed", [value](Matrix& m) { m.workload.seed = value; });
        };
        seed(12);
        seed(123);
        document.edit("Repeats", "measurement.repeats", [](Matrix& m) { m.measurement.repeats = 3; });
        seed(4);
        document.endMerge();
        seed(5);
        QCOMPARE(document.undoStack().count(), 4);
        document.undoStack().undo();
        QCOMPARE(document.matrix().workload.seed, std::uint64_t(4));
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.matrix().workload.seed, std::uint64_t(123));
        QCOMPARE(document.matrix().measurement.repeats, 1);
        document.undoStack().undo();
        QCOMPARE(document.matrix().workload.seed, std::uint64_t(1));
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QCOMPARE(document.matrix().workload.seed, std::uint64_t(123));
    }

    void typingBackToTheStartLeavesNoStep()
    {
        PlanDocument document;
        document.reset(oneTest(), {});
        const auto seed = [&](std::uint64_t value) {
            document.edit("Seed", "workload.seed", [value](Matrix& m) { m.workload.seed = value; });
        };
        seed(12);
        seed(1);
        QCOMPARE(document.undoStack().count(), 0);
        QVERIFY(!document.isModified());
    }

    void whatIsNoChangeIsNoStep()
    {
        PlanDocument document;
        document.reset(oneTest(), {});
        QSignalSpy changed(&document, &PlanDocument::changed);
        document.edit("Seed", {}, [](Matrix& m) { m.workload.seed = 1; });
        QCOMPARE(document.undoStack().count(), 0);
        QCOMPARE(changed.size(), 0);
    }

    void anErrorKeepsItFromRunning()
    {
        PlanDocument document;
        QVERIFY(!document.runnable());
        QVERIFY(!document.whyNotRunnable().isEmpty());
        document.reset(oneTest(), {});
        QVERIFY2(document.runnable(), qPrintable(document.whyNotRunnable()));
        document.setFieldProblem("workload.seed", "a whole number is expected");
        QVERIFY(!document.runnable());
        QVERIFY(document.whyNotRunnable().contains("workload.seed"));
        document.setFieldProblem("workload.seed", {});
        QVERIFY(document.runnable());
        document.edit("Levels", {}, [](Matrix& m) { m.tests[0].levels = {4, 2}; });
        QVERIFY(!document.runnable());
        QVERIFY2(document.whyNotRunnable().startsWith("tests[0].levels[1]"),
                 qPrintable(document.whyNotRunnable()));
    }

    void savesAndOpens()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath("mine.tailmark.json");
        PlanDocument document;
        document.reset(oneTest(), {});
        QCOMPARE(document.displayName(), "One");
        document.edit("Levels", {}, [](Matrix& m) { m.tests[0].levels = {1, 3, 9}; });
        QVERIFY(document.isModified());
        QVERIFY(document.save(path).ok());
        QVERIFY(!document.isModified());
        QCOMPARE(document.displayName(), "mine.tailmark.json");
        document.undoStack().undo();
        QVERIFY(document.isModified()); // against the file

        PlanDocument other;
        QVERIFY(other.load(path).ok());
        QCOMPARE(other.matrix().tests[0].levels, (std::vector<int>{1, 3, 9}));
        QVERIFY(!other.isModified());
        QVERIFY(!other.load(folder.filePath("missing.tailmark.json")).ok());
        QCOMPARE(other.path(), path); // as it was
    }

    void recoveredContentCountsAsModified()
    {
        PlanDocument document;
        document.reset(oneTest(), "/somewhere/mine.tailmark.json", true);
        QVERIFY(document.isModified());
        QTemporaryDir folder;
        QVERIFY(document.save(folder.filePath("a.tailmark.json")).ok());
        QVERIFY(!document.isModified());
    }
};

QTEST_GUILESS_MAIN(TestPlanDocument)
#include "tst_plan_document.moc"
