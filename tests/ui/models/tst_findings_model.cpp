// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findings_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

class TestFindingsModel : public QObject
{
    Q_OBJECT

private slots:
    void errorsComeFirst()
    {
        FindingsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFindings({{Finding::Severity::Remark, "a", "one"},
                           {Finding::Severity::Error, "b", "two"},
                           {Finding::Severity::Remark, "c", "three"},
                           {Finding::Severity::Error, "d", "four"}});
        QCOMPARE(model.errorCount(), 2);
        QCOMPARE(model.remarkCount(), 2);
        QStringList paths;
        for (int row = 0; row < model.rowCount(); ++row)
            paths << model.index(row).data(FindingsModel::PathRole).toString();
        QCOMPARE(paths, QStringList({"b", "d", "a", "c"}));
        QCOMPARE(model.index(0).data().toString(), "b: two");
        QVERIFY(model.index(1).data(FindingsModel::IsErrorRole).toBool());
        QVERIFY(!model.index(2).data(FindingsModel::IsErrorRole).toBool());
        QCOMPARE(model.index(2).data(Qt::AccessibleTextRole).toString(), "Remark. one");
    }
};

QTEST_GUILESS_MAIN(TestFindingsModel)
#include "tst_findings_model.moc"
