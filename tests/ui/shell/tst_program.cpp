// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench as a program: its arguments, and what it says where there is no display.
#include <QFileInfo>
#include <QProcess>
#include <QTest>

namespace {

const QString kProgram = QStringLiteral(TAILMARK_BIN_DIR "/tailmark");

struct Outcome
{
    int code = -1;
    QString out, err;
};

Outcome run(const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(name);
    process.setProcessEnvironment(environment);
    process.start(kProgram, arguments);
    if (!process.waitForFinished(30'000)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

} // namespace

class TestProgram : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QFileInfo::exists(kProgram))
            QSKIP("the workbench (target tailmark) is not built");
    }

    void saysItsVersionWithoutADisplay()
    {
        const Outcome outcome = run({"--version"});
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.out, "tailmark " TAILMARK_VERSION "\n");
    }

    void helpsWithoutADisplay()
    {
        const Outcome outcome = run({"--help"});
        QCOMPARE(outcome.code, 0);
        for (const char* option : {"--db", "--demo", "--screenshots", "--theme", "MATRIX.json"})
            QVERIFY2(outcome.out.contains(option), option);
    }

    void namesTheHeadlessWay()
    {
        const Outcome outcome = run({});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains("no display") && outcome.err.contains("tailmark-cli run"),
                 qPrintable(outcome.err));
        QCOMPARE(outcome.err.count('\n'), 1);
    }

    void refusesWhatItDoesNotKnow()
    {
        const Outcome outcome = run({"--colour", "blue"});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.startsWith("tailmark: "), qPrintable(outcome.err));
        QCOMPARE(run({"--theme", "blue"}).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
