// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/sim_process.h"

#include "fake_program.h"

#include <QSignalSpy>
#include <QTest>

using namespace tailmark::ui;
using namespace tailmark::test;

namespace {

constexpr int kLimitMs = 20'000;

} // namespace

class TestSimProcess : public QObject
{
    Q_OBJECT

private slots:
    void saysWhereTheEngineListens()
    {
        FakeProgram program(
            "echo \"$@\" > $DIR/arguments\necho 'warming up'\necho http://127.0.0.1:4242/v1\nexec cat\n");
        SimProcess sim(program.path());
        QSignalSpy ready(&sim, &SimProcess::ready);
        sim.start({"--profile", "8b-h100"});
        QTRY_COMPARE_WITH_TIMEOUT(ready.size(), 1, kLimitMs);
        QCOMPARE(sim.url(), "http://127.0.0.1:4242/v1");
        QCOMPARE(program.read("arguments").trimmed(), QByteArray("--exit-with-parent --profile 8b-h100"));
        sim.start(); // is up
        QCOMPARE(ready.size(), 2);
        QSignalSpy failed(&sim, &SimProcess::failed);
        sim.stop();
        QVERIFY(sim.url().isEmpty());
        QCOMPARE(failed.size(), 0);
    }

    void tellsWhyItEnded()
    {
        FakeProgram program("echo 'no such profile' >&2\nexit 2\n");
        SimProcess sim(program.path());
        QSignalSpy failed(&sim, &SimProcess::failed);
        sim.start();
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kLimitMs);
        QVERIFY(failed[0][0].toString().contains("no such profile"));
    }

    void tellsThatItCannotStart()
    {
        SimProcess sim("/nowhere/tailmark-sim");
        QSignalSpy failed(&sim, &SimProcess::failed);
        sim.start();
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kLimitMs);
    }
};

QTEST_GUILESS_MAIN(TestSimProcess)
#include "tst_sim_process.moc"
