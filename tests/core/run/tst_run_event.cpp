// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/run_event.h"

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

/// One of each, every member set to something that a mix-up would show.
std::vector<RunEvent> examples()
{
    Progress progress;
    progress.point.value = 4;
    progress.load.elapsed = Nanoseconds(9'876'543'210'123);
    progress.load.intended = 1;
    progress.load.sent = 2;
    progress.load.accepted = 3;
    progress.load.completed = 4;
    progress.load.failed = 5;
    progress.load.outputTokens = 6'000'000'000;
    progress.load.inFlight = 7;
    progress.load.waiting = 8;
    progress.remainingS = 9.5;
    progress.sendLagP99Ms = 0.1;
    progress.cpuCores = 0.75;
    progress.outputTokensPerS = 10.25;
    progress.requestsPerS = 0.0;
    Progress early = progress; // before the window nothing is known of it
    early.outputTokensPerS = early.requestsPerS = std::nullopt;
    progress.headlineMs = {{50, 12}, {99.99999, 13}};
    progress.serverRunning = 7;
    progress.serverKvUse = 0.0;
    return {
        RunStarted{RunId{12}, "night \"1\"", "/data/runs.sqlite", 8, 120.5, "http://h/v1", "vllm", "0.9",
                   "m"},
        Preparation{"warming the cache", 3, 17},
        PointStarted{
            PointIndex{3}, "arrival_sweep#2", TestKind::ArrivalSweep, {LoadAxis::RatePerS, 2.5}, 1, 5, 30},
        progress,
        early,
        PlanExtended{11},
        PointFinished{PointIndex{3}, true, "valid"},
        OperatingPointFound{"concurrency_sweep", "found", 44.3, 6444, "line one\nline two"},
        OperatingPointFound{"concurrency_sweep", "no_slo", std::nullopt, std::nullopt, ""},
        RunWarning{"ünïcode \xff"},
        RunFinished{RunId{12}, "failed", 1, 8, "the target went away"}};
}

} // namespace

class TestRunEvent : public QObject
{
    Q_OBJECT

private slots:
    void everyEventSurvivesTheLine();
    void namesAndKeysAreThoseOfTheInterface();
    void refusesWhatIsNoEvent_data();
    void refusesWhatIsNoEvent();
};

void TestRunEvent::everyEventSurvivesTheLine()
{
    for (const RunEvent& event : examples()) {
        const std::string line = eventToLine(event);
        QVERIFY(line.find('\n') == std::string::npos);
        const Result<RunEvent> read = eventFromLine(line);
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().line().c_str());
        QCOMPARE(read.value().index(), event.index());
        QCOMPARE(eventToLine(read.value()), line);
    }
    // What the comparison of lines cannot see: values that writer and reader might confuse in the same way.
    const Result<RunEvent> read = eventFromLine(eventToLine(examples()[3]));
    const Progress& progress = std::get<Progress>(read.value());
    QCOMPARE(progress.load.elapsed.count(), std::int64_t(9'876'543'210'123));
    QCOMPARE(progress.load.accepted, std::uint64_t(3));
    QCOMPARE(progress.load.outputTokens, std::uint64_t(6'000'000'000));
    QCOMPARE(progress.load.waiting, 8u);
    QVERIFY(progress.requestsPerS == 0.0);
    QCOMPARE(progress.headlineMs, (std::map<double, double>{{50, 12}, {99.99999, 13}}));
    QVERIFY(progress.serverRunning == 7.0 && !progress.serverWaiting && progress.serverKvUse == 0.0);
}

void TestRunEvent::namesAndKeysAreThoseOfTheInterface()
{
    QStringList names;
    for (const RunEvent& event : examples())
        names << QString::fromStdString(eventToJson(event).at("event").get<std::string>());
    names.removeDuplicates();
    QCOMPARE(names.join(QLatin1Char(' ')),
             QStringLiteral(
                 "run_started preparation point_started progress plan_extended point_finished operating_point warning run_finished"));
    QCOMPARE(eventToLine(examples()[1]),
             std::string(R"({"event":"preparation","what":"warming the cache","done":3,"total":17})"));
    QCOMPARE(eventToLine(examples()[2]),
             std::string(
                 R"({"event":"point_started","point":3,"test":"arrival_sweep#2","kind":"arrival_sweep",)"
                 R"("load":{"axis":"rate_per_s","value":2.5},"repeat":1,"warmup_s":5.0,"duration_s":30.0})"));
    QCOMPARE(eventToJson(examples()[3]).at("headline_ms").dump(),
             std::string(R"({"p50":12.0,"p99.99999":13.0})"));
    QCOMPARE(eventToJson(examples()[4]).at("headline_ms").dump(), std::string("{}"));
}

void TestRunEvent::refusesWhatIsNoEvent_data()
{
    QTest::addColumn<QString>("line");
    QTest::newRow("empty") << QString();
    QTest::newRow("not JSON") << QStringLiteral("point 3 started");
    QTest::newRow("not an object") << QStringLiteral("[1]");
    QTest::newRow("no name") << QStringLiteral(R"({"text":"x"})");
    QTest::newRow("unknown name") << QStringLiteral(R"({"event":"coffee"})");
    QTest::newRow("missing member") << QStringLiteral(R"({"event":"warning"})");
    QTest::newRow("wrong type") << QStringLiteral(R"({"event":"warning","text":3})");
    QTest::newRow("unknown kind") << QStringLiteral(
        R"({"event":"point_started","point":3,"test":"t","kind":"soak",)"
        R"("load":{"axis":"rate_per_s","value":2.5},"repeat":1,"warmup_s":5,"duration_s":30})");
}

void TestRunEvent::refusesWhatIsNoEvent()
{
    QFETCH(QString, line);
    const Result<RunEvent> read = eventFromLine(line.toStdString());
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, ErrorCode::BadInput);
    QVERIFY(read.error().line().find('\n') == std::string::npos);
}

QTEST_GUILESS_MAIN(TestRunEvent)
#include "tst_run_event.moc"
