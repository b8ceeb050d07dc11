// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <map>

#include "sim/faults.h"

using namespace tailmark::sim;

class TestFaults : public QObject
{
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void sharesAreKept();
    void sharesMustFit();
};

void TestFaults::reads_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("param");
    QTest::addColumn<double>("share");
    QTest::newRow("status") << QByteArray("status:503@0.25") << int(FaultKind::Status) << 503.0 << 0.25;
    QTest::newRow("stall") << QByteArray("stall:2.5@0.1") << int(FaultKind::Stall) << 2.5 << 0.1;
    QTest::newRow("hang") << QByteArray("hang@0.5") << int(FaultKind::Hang) << 0.0 << 0.5;
    QTest::newRow("cut") << QByteArray("cut:10@1") << int(FaultKind::Cut) << 10.0 << 1.0;
    QTest::newRow("error") << QByteArray("error:0@0") << int(FaultKind::Error) << 0.0 << 0.0;
    QTest::newRow("garbage, all") << QByteArray("garbage") << int(FaultKind::Garbage) << 0.0 << 1.0;
    QTest::newRow("slow start") << QByteArray("slow-start:3") << int(FaultKind::SlowStart) << 3.0 << 1.0;
    QTest::newRow("no usage") << QByteArray("no-usage@1e-3") << int(FaultKind::NoUsage) << 0.0 << 0.001;
}

void TestFaults::reads()
{
    QFETCH(QByteArray, text);
    QFETCH(int, kind);
    QFETCH(double, param);
    QFETCH(double, share);
    const auto fault = parseFault(text.toStdString());
    QVERIFY2(fault.ok(), fault.ok() ? "" : fault.error().line().c_str());
    QCOMPARE(int(fault.value().kind), kind);
    QCOMPARE(fault.value().param, param);
    QCOMPARE(fault.value().share, share);
    const auto again = parseFault(faultText(fault.value()));
    QCOMPARE(again.value().param, param);
    QCOMPARE(again.value().share, share);
}

void TestFaults::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text :
         {"", "@0.5", "explode@0.1", "status@0.5", "status:200", "status:4.5", "status:700", "stall:x",
          "stall:-1", "stall:nan", "stall:inf", "hang:3", "cut:1.5", "cut:-1", "garbage@1.5", "garbage@-0.1",
          "garbage@", "hang@x", "slow-start:3@0.5"})
        QTest::newRow(text) << QByteArray(text);
}

void TestFaults::refuses()
{
    QFETCH(QByteArray, text);
    const auto fault = parseFault(text.toStdString());
    QVERIFY(!fault.ok());
    QVERIFY(fault.error().line().starts_with("--fault " + text.toStdString() + ": "));
}

void TestFaults::sharesAreKept()
{
    const std::vector<Fault> faults = {
        {FaultKind::Hang, 0, 0.1}, {FaultKind::SlowStart, 1, 1}, {FaultKind::Cut, 3, 0.25}};
    const FaultPicker picker(faults, 5);
    std::map<FaultKind, int> counts;
    constexpr int n = 20'000;
    for (std::uint64_t i = 0; i < n; ++i) {
        const Fault fault = picker.pick(i);
        ++counts[fault.kind];
        QCOMPARE(int(picker.pick(i).kind), int(fault.kind));
    }
    QVERIFY(std::abs(counts[FaultKind::Hang] / double(n) - 0.1) < 0.01);
    QVERIFY(std::abs(counts[FaultKind::Cut] / double(n) - 0.25) < 0.01);
    QVERIFY(std::abs(counts[FaultKind::None] / double(n) - 0.65) < 0.01);
    QCOMPARE(counts.size(), 3u);
    QCOMPARE(int(FaultPicker({{FaultKind::Hang, 0, 1}}, 1).pick(17).kind), int(FaultKind::Hang));
    QCOMPARE(int(FaultPicker({}, 1).pick(17).kind), int(FaultKind::None));
}

void TestFaults::sharesMustFit()
{
    QVERIFY(FaultPicker::check(
                {{FaultKind::Hang, 0, 0.5}, {FaultKind::Cut, 1, 0.5}, {FaultKind::SlowStart, 1, 1}})
                .ok());
    QVERIFY(!FaultPicker::check({{FaultKind::Hang, 0, 0.6}, {FaultKind::Cut, 1, 0.5}}).ok());
}

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
