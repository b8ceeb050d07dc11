// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <QProcess>

#include <csignal>

#include "live_server.h"

using namespace tailmark::sim;

/// The program tailmark-sim: its line when ready, its ends, its refusals.
class TestProcess : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void tellsItsUrlAndServes();
    void settingsReachTheEngine();
    void endsOnSignals_data();
    void endsOnSignals();
    void endsWithItsParent();
    void staysWithoutThatOption();
    void refuses_data();
    void refuses();
    void portInUse();
    void listsProfiles();
    void runsOutsideTheSourceTree();

private:
    static QString binary() { return QStringLiteral(TAILMARK_BIN_DIR "/tailmark-sim"); }
};

namespace {

/// Starts the program and reads its URL line.
class Running
{
public:
    explicit Running(const QString& binary, const QStringList& arguments)
    {
        process.start(binary, QStringList{"--port", "0"} + arguments);
        if (process.waitForReadyRead(20'000))
            line = process.readLine();
    }
    ~Running()
    {
        process.kill();
        process.waitForFinished();
    }
    int port() const { return line.mid(line.lastIndexOf(':') + 1).split('/').first().toInt(); }

    QProcess process;
    QByteArray line;
};

Reply get(int port, const std::string& path)
{
    RawClient client(port);
    client.get(path);
    return client.read();
}

} // namespace

void TestProcess::initTestCase()
{
    QVERIFY2(QFile::exists(binary()), "build the target tailmark-sim first");
}

void TestProcess::tellsItsUrlAndServes()
{
    Running sim(binary(), {});
    QVERIFY2(QRegularExpression("^http://127\\.0\\.0\\.1:[0-9]+/v1\n$").match(sim.line).hasMatch(),
             sim.line.constData());
    QCOMPARE(get(sim.port(), "/health").status, 200);
    QCOMPARE(get(sim.port(), "/server_info").json()["profile"]["name"], "8b-h100");
    QCOMPARE(sim.process.readAllStandardOutput(), QByteArray());
}

void TestProcess::settingsReachTheEngine()
{
    QTemporaryDir folder;
    const QString truth = folder.filePath("t.csv");
    Running sim(binary(), {"--profile",
                           "8b-a100",
                           "--model",
                           "mine",
                           "--max-num-seqs",
                           "7",
                           "--max-num-batched-tokens",
                           "512",
                           "--kv-tokens",
                           "3201",
                           "--max-queue",
                           "9",
                           "--no-prefix-cache",
                           "--speculative-tokens",
                           "3",
                           "--acceptance",
                           "0.5",
                           "--natural-mean",
                           "33",
                           "--seed",
                           "77",
                           "--truth",
                           truth,
                           "--fault",
                           "hang@0.25",
                           "--fault",
                           "cut:3@0.5"});
    const auto info = get(sim.port(), "/server_info").json();
    const auto& profile = info["profile"];
    QCOMPARE(profile["name"], "8b-a100");
    QCOMPARE(profile["model"], "mine");
    QCOMPARE(profile["max_num_seqs"], 7);
    QCOMPARE(profile["max_num_batched_tokens"], 512);
    QCOMPARE(profile["kv_capacity_tokens"], 3201);
    QCOMPARE(profile["max_model_len"], 3200);
    QCOMPARE(profile["prefix_cache"], false);
    QCOMPARE(profile["speculative"]["tokens"], 3);
    QCOMPARE(profile["speculative"]["acceptance"], 0.5);
    QCOMPARE(profile["natural_output"]["mean"], 33.0);
    const auto& flags = info["flags"];
    QCOMPARE(flags["kv_capacity_tokens"], 3201);
    QCOMPARE(flags["speculative"]["tokens"], 3);
    QCOMPARE(flags["max_queue"], 9);
    QCOMPARE(flags["seed"], 77);
    QCOMPARE(info["default_flags"]["max_num_seqs"], 256);
    QCOMPARE(info["default_flags"]["kv_capacity_tokens"], 468944);
    QCOMPARE(info["default_flags"]["seed"], 1);
    QCOMPARE(info["started_with"].get<std::string>(),
             "--profile 8b-a100 --model mine --max-num-seqs 7 --max-num-batched-tokens 512 --kv-tokens 3201 --max-queue 9 "
             "--no-prefix-cache --speculative-tokens 3 --acceptance 0.5 --natural-mean 33 --seed 77 --fault hang@0.25 "
             "--fault cut:3@0.5");
    QVERIFY(!flags.contains("decode")); // what the accelerator makes of it
    QCOMPARE(info["step_time"]["decode"], profile["decode"]);
    QCOMPARE(flags["faults"], (nlohmann::json{"hang@0.25", "cut:3@0.5"}));
    QCOMPARE(get(sim.port(), "/v1/models").json()["data"][0]["id"], "mine");
    QVERIFY(QFile::exists(truth));
}

void TestProcess::endsOnSignals_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
}

void TestProcess::endsOnSignals()
{
    QFETCH(int, signal);
    Running sim(binary(), {});
    RawClient client(sim.port());
    client.post(
        "/v1/chat/completions",
        R"({"messages":[{"role":"user","content":"x"}],"stream":true,"ignore_eos":true,"max_tokens":10000})");
    QVERIFY(client.readSome());
    QVERIFY(sim.process.processId() > 0); // 0 would be this test's own group
    ::kill(static_cast<pid_t>(sim.process.processId()), signal);
    QVERIFY(sim.process.waitForFinished(10'000));
    QCOMPARE(sim.process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(sim.process.exitCode(), 0);
    QCOMPARE(sim.process.readAllStandardError(), QByteArray());
}

void TestProcess::endsWithItsParent()
{
    Running sim(binary(), {"--exit-with-parent"});
    QCOMPARE(get(sim.port(), "/health").status, 200);
    sim.process.write("anything\n"); // only the end counts
    QVERIFY(!sim.process.waitForFinished(300));
    sim.process.closeWriteChannel();
    QVERIFY(sim.process.waitForFinished(10'000));
    QCOMPARE(sim.process.exitCode(), 0);
}

void TestProcess::staysWithoutThatOption()
{
    Running sim(binary(), {});
    sim.process.closeWriteChannel();
    QVERIFY(!sim.process.waitForFinished(300));
    QCOMPARE(get(sim.port(), "/health").status, 200);
}

void TestProcess::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("unknown option") << QStringList{"--nonsense"};
    QTest::newRow("unknown profile") << QStringList{"--profile", "8b-abacus"};
    QTest::newRow("no such file") << QStringList{"--profile", "/no/such.json"};
    QTest::newRow("port") << QStringList{"--port", "70000"};
    QTest::newRow("port is text") << QStringList{"--port", "http"};
    QTest::newRow("fault") << QStringList{"--fault", "explode@1"};
    QTest::newRow("fault shares") << QStringList{"--fault", "hang@0.7", "--fault", "cut:1@0.7"};
    QTest::newRow("sequences") << QStringList{"--max-num-seqs", "0"};
    QTest::newRow("acceptance") << QStringList{"--acceptance", "1.5"};
    QTest::newRow("KV") << QStringList{"--kv-tokens", "3"};
    QTest::newRow("truth") << QStringList{"--truth", "/no/such/folder/t.csv"};
    QTest::newRow("host") << QStringList{"--host", "no.such.host.invalid"};
    QTest::newRow("value missing") << QStringList{"--model"};
}

void TestProcess::refuses()
{
    QFETCH(QStringList, arguments);
    QProcess process;
    process.start(binary(), arguments);
    QVERIFY(process.waitForFinished(20'000));
    QCOMPARE(process.exitCode(), 2);
    QCOMPARE(process.readAllStandardOutput(), QByteArray());
    const QByteArray told = process.readAllStandardError();
    QVERIFY2(told.startsWith("tailmark-sim: "), told.constData());
    QCOMPARE(told.count('\n'), 1);
}

void TestProcess::portInUse()
{
    Running sim(binary(), {});
    QProcess second;
    second.start(binary(), {"--port", QString::number(sim.port())});
    QVERIFY(second.waitForFinished(20'000));
    QCOMPARE(second.exitCode(), 1);
    QCOMPARE(second.readAllStandardError().count('\n'), 1);
}

void TestProcess::listsProfiles()
{
    QProcess process;
    process.start(binary(), {"--list-profiles"});
    QVERIFY(process.waitForFinished(20'000));
    QCOMPARE(process.exitCode(), 0);
    const QByteArray list = process.readAllStandardOutput();
    for (const char* name : {"8b-h100 ", "8b-a100 ", "8b-h200 ", "8b-b200 ", "8b-l40s "})
        QVERIFY2(list.contains(name), name);
}

void TestProcess::runsOutsideTheSourceTree()
{
    // As installed: bin/ and share/tailmark/sim/ under one prefix; profiles there win over those of the
    // source tree.
    QTemporaryDir prefix;
    QVERIFY(QDir(prefix.path()).mkpath("bin") && QDir(prefix.path()).mkpath("share/tailmark/sim"));
    QVERIFY(QFile::copy(binary(), prefix.filePath("bin/tailmark-sim")));
    QFile profile(prefix.filePath("share/tailmark/sim/8b-h100.json"));
    QVERIFY(profile.open(QIODevice::WriteOnly));
    profile.write(R"({"name":"8b-h100","description":"the installed one"})");
    profile.close();
    Running sim(prefix.filePath("bin/tailmark-sim"), {});
    QCOMPARE(get(sim.port(), "/server_info").json()["profile"]["description"], "the installed one");
}

QTEST_GUILESS_MAIN(TestProcess)
#include "tst_process.moc"
