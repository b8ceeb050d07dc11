// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/run_controller.h"

#include "fake_program.h"
#include "plan/plan_json.h"
#include "run_events.h"

#include <QSignalSpy>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;
using namespace tailmark::test;
using State = RunController::State;

namespace {

constexpr int kLimitMs = 20'000;

Matrix someMatrix()
{
    Matrix matrix;
    matrix.name = "Mine";
    matrix.tests.emplace_back();
    return matrix;
}

/// Tells that a run and a point began, then writes down each command; ends the point at "skip" and the run at
/// "stop".
const QByteArray kObedient = R"(
cat $DIR/begin
while read line; do
  echo "$line" >> $DIR/commands
  [ "$line" = skip ] && cat $DIR/point_end
  [ "$line" = stop ] && { cat $DIR/end; exit 0; }
done
echo eof >> $DIR/commands
)";

void fillObedient(FakeProgram& program)
{
    program.write("begin", eventLine(someRun()) + eventLine(somePoint(0)) + eventLine(someProgress(0, 40)));
    program.write("point_end", eventLine(PointFinished{PointIndex{0}, true, "valid"}));
    program.write("end", eventLine(RunFinished{RunId{7}, "cancelled", 1, 2, ""}));
}

} // namespace

class TestRunController : public QObject
{
    Q_OBJECT

private slots:
    void tellsTheEventsInOrder()
    {
        FakeProgram program("echo \"$@\" > $DIR/arguments\ncp \"$2\" $DIR/matrix\ncat $DIR/events\n");
        program.write("events", eventLine(someRun(1)) + eventLine(somePoint(0)) +
                                    eventLine(someProgress(0, 3)) + eventLine(RunWarning{"mind the gap"}) +
                                    eventLine(PointFinished{PointIndex{0}, true, "valid"}) +
                                    eventLine(OperatingPointFound{"t", "found", 44.3, 6444, "44 users"}) +
                                    eventLine(RunFinished{RunId{7}, "done", 1, 1, ""}));
        RunController controller(program.path());
        QStringList order;
        connect(&controller, &RunController::started, this,
                [&](const RunStarted& e) { order << QString::fromStdString(e.name); });
        connect(&controller, &RunController::pointStarted, this, [&] { order << "point"; });
        connect(&controller, &RunController::progress, this, [&] { order << "progress"; });
        connect(&controller, &RunController::warning, this, [&](const QString& text) { order << text; });
        connect(&controller, &RunController::pointFinished, this, [&] { order << "point end"; });
        connect(&controller, &RunController::operatingPoint, this,
                [&](const OperatingPointFound& e) { order << QString::fromStdString(e.sentence); });
        connect(&controller, &RunController::finished, this, [&](const RunFinished& e) {
            QVERIFY(!controller.isActive()); // a new run may be started from the slot
            order << QString::fromStdString(e.state);
        });
        QVERIFY(controller.start(someMatrix(), "/data/runs.sqlite").ok());
        QCOMPARE(controller.state(), State::Starting);
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 7, kLimitMs);
        QCOMPARE(order, QStringList(
                            {"A run", "point", "progress", "mind the gap", "point end", "44 users", "done"}));

        const QByteArray arguments = program.read("arguments");
        QVERIFY(arguments.startsWith("run "));
        for (const char* expected : {"--events -", "--stop-on-eof", "--db /data/runs.sqlite"})
            QVERIFY2(arguments.contains(expected), expected);
        const auto handedOver = matrixFromText(program.read("matrix").toStdString(), "matrix");
        QVERIFY(handedOver.ok());
        QCOMPARE(handedOver.value().name, "Mine");
    }

    /// The events of both targets of a pair come in one stream: those of the second are of a run of their own.
    void keepsTheTargetsOfAPairApart()
    {
        const auto line = [](const RunEvent& event, Side side) {
            return QByteArray::fromStdString(eventToLine(event, side)) + '\n';
        };
        RunStarted second = someRun();
        second.run = RunId{8};
        FakeProgram program("cat $DIR/events\n");
        program.write("events", line(someRun(), Side::A) + line(second, Side::B) +
                                    line(somePoint(0), Side::A) +
                                    line(PointFinished{PointIndex{0}, true, "valid"}, Side::A) +
                                    line(somePoint(1), Side::B) + line(someProgress(1, 9), Side::B) +
                                    line(PointFinished{PointIndex{1}, false, "invalid"}, Side::B) +
                                    line(RunWarning{"mind the gap"}, Side::B) +
                                    line(RunFinished{RunId{8}, "failed", 0, 1, "gone"}, Side::B) +
                                    line(RunFinished{RunId{7}, "done", 1, 1, ""}, Side::A));
        RunController controller(program.path());
        QSignalSpy started(&controller, &RunController::started);
        QSignalSpy points(&controller, &RunController::pointFinished);
        QSignalSpy warnings(&controller, &RunController::warning);
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(controller.outcome()->run, RunId{7});
        QCOMPARE(controller.run()->run, RunId{7});
        QVERIFY(controller.partner());
        QCOMPARE(controller.partner()->run, RunId{8});
        QCOMPARE(started.size(), 1);
        QCOMPARE(points.size(), 1);
        QCOMPARE(controller.point()->point, PointIndex{0});
        QVERIFY(!controller.latestProgress());
        QCOMPARE(warnings.size(), 2);
        QVERIFY(warnings[0].first().toString().contains("mind the gap"));
        QVERIFY(warnings[1].first().toString().contains("gone"));
    }

    void givesCommandsAndFollowsTheState()
    {
        FakeProgram program(kObedient);
        fillObedient(program);
        RunController controller(program.path());
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QVERIFY(!controller.start(someMatrix(), "db").ok()); // one at a time
        QTRY_VERIFY_WITH_TIMEOUT(controller.latestProgress().has_value(), kLimitMs);
        QCOMPARE(controller.state(), State::Running);
        controller.setPauseAfterPoint(true);
        QCOMPARE(controller.state(), State::Pausing);
        controller.skipPoint();
        QTRY_COMPARE_WITH_TIMEOUT(controller.state(), State::Paused, kLimitMs);
        controller.setPauseAfterPoint(false);
        QCOMPARE(controller.state(), State::Running);
        controller.stop();
        QCOMPARE(controller.state(), State::Stopping);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(controller.outcome()->state, "cancelled");
        QCOMPARE(program.read("commands"), QByteArray("pause\nskip\nresume\nstop\n"));
    }

    void aCrashIsToldAndAnotherRunCanStart()
    {
        FakeProgram program("cat $DIR/begin\necho 'out of memory' >&2\nkill -9 $$\n");
        program.write("begin", eventLine(someRun()) + eventLine(somePoint(0)));
        RunController controller(program.path());
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(controller.outcome()->state, "interrupted");
        QCOMPARE(controller.outcome()->run, RunId{7});
        const QString error = QString::fromStdString(controller.outcome()->error);
        QVERIFY2(error.contains("out of memory") && error.contains("kept"), qPrintable(error));
        QCOMPARE(controller.state(), State::Idle);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QVERIFY(!controller.run().has_value());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, kLimitMs);
    }

    void aRefusalIsToldInTheEnginesWords()
    {
        FakeProgram program("echo \"$2: target.base_url: cannot be reached\" >&2\nexit 3\n");
        RunController controller(program.path());
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(controller.outcome()->state, "failed");
        QCOMPARE(controller.outcome()->error, "target.base_url: cannot be reached");
    }

    void aProgramThatCannotStartIsTold()
    {
        FakeProgram program("");
        RunController controller(program.path() + "-missing");
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(controller.outcome()->state, "failed");
        QVERIFY(!controller.outcome()->error.empty());
    }

    void aLineThatIsNoEventIsRemarkedOnOnce()
    {
        FakeProgram program("echo nonsense\necho '{\"event\":\"later\"}'\ncat $DIR/end\n");
        program.write("end", eventLine(someRun()) + eventLine(RunFinished{RunId{7}, "done", 2, 2, ""}));
        RunController controller(program.path());
        QSignalSpy warnings(&controller, &RunController::warning);
        QSignalSpy finished(&controller, &RunController::finished);
        QVERIFY(controller.start(someMatrix(), "db").ok());
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLimitMs);
        QCOMPARE(warnings.size(), 1);
        QCOMPARE(controller.outcome()->state, "done");
    }

    void theEngineLearnsOfTheWorkbenchsEnd()
    {
        FakeProgram program(kObedient);
        fillObedient(program);
        {
            RunController controller(program.path());
            QVERIFY(controller.start(someMatrix(), "db").ok());
            QTRY_VERIFY_WITH_TIMEOUT(controller.run().has_value(), kLimitMs);
        }
        QCOMPARE(program.read("commands"), QByteArray("eof\n"));
    }
};

QTEST_GUILESS_MAIN(TestRunController)
#include "tst_run_controller.moc"
