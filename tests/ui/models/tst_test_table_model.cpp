// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/test_table_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

namespace {

Test makeTest(TestKind kind)
{
    Test test;
    test.kind = kind;
    return test;
}

Matrix fourTests()
{
    Matrix matrix;
    for (const TestKind kind :
         {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep, TestKind::BurstRecovery})
        matrix.tests.push_back(makeTest(kind));
    matrix.measurement.warmupS = 5;
    matrix.measurement.durationS = 30;
    matrix.measurement.cooldownS = 2;
    return matrix;
}

QString cell(const TestTableModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

} // namespace

class TestTestTableModel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void showsWhatVariesAndTheEstimates()
    {
        TestTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Matrix matrix = fourTests();
        model.setMatrix(matrix, {}, 640);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(cell(model, 1, TestTableModel::TestColumn), "Concurrency sweep");
        QCOMPARE(cell(model, 1, TestTableModel::VariesColumn), "concurrency 1, 2, 4 … 96");
        QCOMPARE(cell(model, 1, TestTableModel::RequestsColumn),
                 QString::fromUtf8("–"));                              // a closed loop does not fix it
        QCOMPARE(cell(model, 1, TestTableModel::TimeColumn), "5 min"); // 8 × 37 s
        // 1+2+4+8+12+16+20+24 = 87 /s over 35 s
        QCOMPARE(cell(model, 2, TestTableModel::RequestsColumn), "3045");
        QCOMPARE(cell(model, 2, TestTableModel::TokensColumn), "1.9 M"); // 3045 × 640
        // 4 × (5 + 20 + 60) + 20 × 20
        QCOMPARE(cell(model, 3, TestTableModel::RequestsColumn), "740");
        QCOMPARE(cell(model, 3, TestTableModel::TimeColumn), "2 min"); // 5 + 100 + 2 s
        model.setMatrix(matrix, {}, std::nullopt);
        QCOMPARE(cell(model, 2, TestTableModel::TokensColumn), QString::fromUtf8("–"));
    }

    void testsOfOneKindAreTold()
    {
        TestTableModel model;
        Matrix matrix;
        matrix.tests = {makeTest(TestKind::FixedShape), makeTest(TestKind::FixedShape),
                        makeTest(TestKind::FixedShape)};
        matrix.tests[2].name = "mine";
        model.setMatrix(matrix, {}, {});
        QCOMPARE(cell(model, 0, 0), "Fixed shape");
        QVERIFY2(cell(model, 1, 0).contains("#2"), qPrintable(cell(model, 1, 0)));
        QCOMPARE(cell(model, 2, 0), "mine");
    }

    void aClickOnTheBoxIsARequest()
    {
        TestTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMatrix(fourTests(), {}, {});
        QSignalSpy toggled(&model, &TestTableModel::enabledToggled);
        QVERIFY(model.flags(model.index(2, 0)) & Qt::ItemIsUserCheckable);
        QVERIFY(model.setData(model.index(2, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(toggled.size(), 1);
        QCOMPARE(toggled[0], QVariantList({2, false}));
        QCOMPARE(model.index(2, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    }

    void rowsComeAndGoWhereTheyChanged()
    {
        TestTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Matrix matrix = fourTests();
        model.setMatrix(matrix, {}, {});
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        const QPersistentModelIndex burst = model.index(3, 0);
        matrix.tests.insert(matrix.tests.begin() + 1, makeTest(TestKind::FixedShape));
        model.setMatrix(matrix, {}, {});
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(burst.row(), 4);
        matrix.tests.erase(matrix.tests.begin() + 2, matrix.tests.begin() + 4);
        model.setMatrix(matrix, {}, {});
        QCOMPARE(removed.size(), 1);
        QCOMPARE(burst.row(), 2);
        QCOMPARE(cell(model, burst.row(), 0), "Burst and recovery");
        QCOMPARE(reset.size(), 0);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setMatrix(matrix, {}, {});
        QCOMPARE(changed.size(), 0);
    }

    void findingsMarkTheirTest()
    {
        TestTableModel model;
        model.setMatrix(fourTests(),
                        {{Finding::Severity::Error, "tests[1].levels[2]", "must rise"},
                         {Finding::Severity::Remark, "tests[3].baseline_s", "short"},
                         {Finding::Severity::Error, "target.base_url", "elsewhere"}},
                        {});
        QCOMPARE(model.index(0, 0).data(TestTableModel::SeverityRole).toInt(), 0);
        QCOMPARE(model.index(1, 0).data(TestTableModel::SeverityRole).toInt(), 2);
        QCOMPARE(model.index(1, 0).data(Qt::ToolTipRole).toString(), "must rise");
        QCOMPARE(model.index(3, 0).data(TestTableModel::SeverityRole).toInt(), 1);
    }
};

QTEST_GUILESS_MAIN(TestTestTableModel)
#include "tst_test_table_model.moc"
