// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/cold_start.h"
#include "run/started_program.h"

#include <QtTest>

#include <QFile>
#include <QTemporaryDir>

#include <sys/types.h>

using namespace tailmark;

namespace {

/// Until it has ended by itself.
std::string endOf(StartedProgram& program)
{
    for (int i = 0; i < 500; ++i) {
        if (const auto ended = program.ended())
            return *ended;
        QTest::qWait(10);
    }
    return "did not end";
}

bool lives(pid_t pid)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (pid <= 0 || !stat.open(QIODevice::ReadOnly))
        return false;
    const QByteArray facts = stat.readAll(); // "pid (name) state …"; Z: ended, and nobody has asked how yet
    return facts.mid(facts.lastIndexOf(')') + 2, 1) != "Z";
}

} // namespace

class StartedProgramTest : public QObject
{
    Q_OBJECT

private slots:
    void commandIsShownAsAShellTakesIt()
    {
        QCOMPARE(commandText({"vllm", "serve", "org/model-7b", "--port=8000"}),
                 std::string("vllm serve org/model-7b --port=8000"));
        QCOMPARE(commandText({"sh", "-c", "echo $HOME; it's", ""}), std::string("sh -c 'echo $HOME; it'\\''s' ''"));
        QCOMPARE(commandText({}), std::string());
    }

    void itsEndAndItsLastLineAreTold()
    {
        auto program = StartedProgram::start({"sh", "-c", "echo loading; echo 'no such model' >&2; exit 3"});
        QVERIFY(program.ok());
        StartedProgram started = std::move(program).value();
        QCOMPARE(endOf(started), std::string("ended with exit code 3; it wrote last: no such model"));
    }

    void whatIsNotThereIsSaid()
    {
        const auto program = StartedProgram::start({"/nonexistent/engine", "serve"});
        QVERIFY(!program.ok());
        QCOMPARE(program.error().code, ErrorCode::BadInput);
        QCOMPARE(program.error().line(),
                 std::string("/nonexistent/engine serve: could not be started: No such file or directory"));
    }

    void itEndsWithItsObjectAndSoDoWhatItStarted()
    {
        QTemporaryDir folder;
        const std::string file = folder.filePath("pid").toStdString();
        pid_t child = 0;
        {
            auto program = StartedProgram::start({"sh", "-c", "sleep 300 & echo $! > \"$1\"; wait", "sh", file});
            QVERIFY(program.ok());
            StartedProgram started = std::move(program).value();
            for (int i = 0; i < 500 && child == 0; ++i) {
                QFile pid(folder.filePath("pid"));
                if (pid.open(QIODevice::ReadOnly))
                    child = pid.readAll().trimmed().toInt();
                QTest::qWait(10);
            }
            QVERIFY(lives(child));
            QVERIFY(!started.ended());
        }
        for (int i = 0; i < 500 && lives(child); ++i) // init may take its time to take it away
            QTest::qWait(10);
        QVERIFY(!lives(child));
    }

    void onlyTheCommandThatWasAllowedMayStart()
    {
        Matrix matrix;
        matrix.tests.emplace_back();
        matrix.tests[0].kind = TestKind::ColdStart;
        Plan plan = expand(matrix).value();
        QVERIFY(checkCommandAllowed(plan, "").ok());
        matrix.tests[0].command = {"vllm", "serve", "a model"};
        plan = expand(matrix).value();
        QVERIFY(checkCommandAllowed(plan, "vllm serve 'a model'").ok());
        for (const char* other : {"", "vllm serve a model", "vllm", "vllm serve 'a model' "}) {
            const Status status = checkCommandAllowed(plan, other);
            QVERIFY(!status);
            QCOMPARE(status.error().code, ErrorCode::BadInput);
            QVERIFY(status.error().line().ends_with("the command is: vllm serve 'a model'"));
        }
        matrix.tests[0].enabled = false;
        matrix.tests.emplace_back();
        QVERIFY(checkCommandAllowed(expand(matrix).value(), "").ok());
    }
};

QTEST_GUILESS_MAIN(StartedProgramTest)
#include "tst_started_program.moc"
