// SPDX-License-Identifier: GPL-3.0-or-later
// A target that comes up: started by the run or waited for, and held against the simulated engine's own log.
#include "programs.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace tailmark::test;

namespace {

sockaddr_in loopback(int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

/// A port that nobody listens on.
int freePort()
{
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        qFatal("no port");
    ::close(fd);
    return ntohs(address.sin_port);
}

bool isListening(int port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(port);
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

} // namespace

class TestColdStart : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_port = freePort();
    }

    void nothingIsStartedWithoutPermission();
    void whatWasStartedIsMeasuredAndEnded();
    void aTargetThatIsDownIsWaitedFor();
    void aProgramThatEndsIsToldOf();
    void theWaitHasItsLimit();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    QString url() const { return u"http://127.0.0.1:%1/v1"_s.arg(m_port); }
    QStringList simulator() const
    {
        return {binary("tailmark-sim"), u"--profile"_s,        QStringLiteral(TAILMARK_TEST_DATA "/e2e/fast.json"),
                u"--port"_s,            QString::number(m_port), u"--startup-delay"_s,
                u"0.6"_s,               u"--cold-penalty-ms"_s,  u"500"_s,
                u"--truth"_s,           file("truth.csv")};
    }
    /// A cold start, and a test after it that finds the target warm.
    QStringList runArguments(const QStringList& command, double timeoutS = 60) const
    {
        QJsonObject matrix = shortMatrix(R"([{"kind": "fixed_shape", "prompt_tokens": 64, "output_tokens": 4},
                                             {"kind": "cold_start", "requests": 12}])");
        QJsonArray tests = matrix[u"tests"_s].toArray();
        QJsonObject cold = tests[1].toObject();
        cold[u"command"_s] = QJsonArray::fromStringList(command);
        cold[u"timeout_s"_s] = timeoutS;
        tests[1] = cold;
        matrix[u"tests"_s] = tests;
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return {u"run"_s,        file("matrix.json"), u"--db"_s,      file("runs.sqlite"), u"--base-url"_s, url(),
                u"--json"_s,     file("result.json"), u"--records"_s, file("records.csv")};
    }
    QJsonObject coldPoint() const
    {
        QFile json(file("result.json"));
        return json.open(QIODevice::ReadOnly) ? object(json.readAll())[u"points"_s][0].toObject() : QJsonObject();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    int m_port = 0;
};

void TestColdStart::nothingIsStartedWithoutPermission()
{
    const QString command = simulator().join(' ');
    for (const QStringList& permission : {QStringList(), QStringList{u"--allow-command"_s, command + u" --x"_s}}) {
        const Ended ended = cli(runArguments(simulator()) + permission);
        QCOMPARE(ended.code, 2);
        QCOMPARE(ended.failures().size(), 1);
        QVERIFY2(ended.failures()[0].contains("the command is: " + command.toUtf8() + "; to allow it"),
                 ended.err.constData());
        QVERIFY(!QFile::exists(file("truth.csv")));
        QVERIFY(!isListening(m_port));
    }
}

void TestColdStart::whatWasStartedIsMeasuredAndEnded()
{
    const QString command = simulator().join(' ');
    const Ended ended = cli(runArguments(simulator()) + QStringList{u"--allow-command"_s, command});
    QVERIFY2(ended.code == 0, ended.err.constData());
    QVERIFY(ended.err.contains("starting: " + command.toUtf8()));
    QVERIFY(!isListening(m_port)); // ended with the run

    const QJsonObject point = coldPoint();
    QCOMPARE(point[u"kind"_s].toString(), u"cold_start"_s);
    const QJsonObject cold = point[u"cold_start"_s].toObject();
    QCOMPARE(cold[u"command"_s].toString(), command);
    QCOMPARE(cold[u"was_up"_s].toBool(true), false);
    const double connected = cold[u"connected_s"_s].toDouble(), ready = cold[u"ready_s"_s].toDouble(),
                 firstToken = cold[u"first_token_s"_s].toDouble();
    QVERIFY2(0.6 <= connected && connected <= ready && ready + 0.5 <= firstToken,
             qPrintable(u"%1 %2 %3"_s.arg(connected).arg(ready).arg(firstToken)));

    // The engine's first requests are those of the cold start, each with its own penalty.
    const QJsonArray ttfts = cold[u"ttft_ms"_s].toArray();
    const Csv truth = Csv::ofFile(file("truth.csv"));
    QCOMPARE(ttfts.size(), 12);
    QVERIFY(truth.size() > 12);
    for (int i = 0; i < 12; ++i) {
        const double trueMs =
            (truth.number(i, "first_token_written_ns") - truth.number(i, "received_ns")) / 1e6;
        QVERIFY2(trueMs >= 500.0 / (1 << i), qPrintable(QString::number(i)));
        QVERIFY2(ttfts[i].toDouble() >= trueMs - 0.5, qPrintable(u"%1: %2 %3"_s.arg(i).arg(ttfts[i].toDouble()).arg(trueMs)));
    }
    QVERIFY(ended.out.contains("From the start of the command: connected after"));
    QVERIFY(cli({u"export"_s, u"latest"_s, u"--as"_s, u"md"_s, u"--db"_s, file("runs.sqlite")})
                .out.contains("## Cold start"));
}

void TestColdStart::aTargetThatIsDownIsWaitedFor()
{
    QStringList arguments = runArguments({});
    const auto running = startCli(arguments);
    running->closeWriteChannel();
    running->setReadChannel(QProcess::StandardError);
    while (!running->readAllStandardError().contains("waiting for the target"))
        QVERIFY(running->waitForReadyRead(20'000));
    QProcess engine;
    engine.start(binary("tailmark-sim"), {u"--profile"_s, QStringLiteral(TAILMARK_TEST_DATA "/e2e/fast.json"),
                                          u"--port"_s, QString::number(m_port), u"--exit-with-parent"_s});
    const Ended ended = collect(*running);
    QVERIFY2(ended.code == 0, ended.err.constData());
    const QJsonObject cold = coldPoint()[u"cold_start"_s].toObject();
    QCOMPARE(cold[u"command"_s].toString(), QString());
    QCOMPARE(cold[u"was_up"_s].toBool(true), false);
    QVERIFY(cold[u"ready_s"_s].toDouble() > 0);
    QVERIFY(isListening(m_port)); // is not the run's to end
    engine.closeWriteChannel();
    QVERIFY(engine.waitForFinished(10'000));
}

void TestColdStart::aProgramThatEndsIsToldOf()
{
    const QStringList command = {u"sh"_s, u"-c"_s, u"echo 'out of memory' >&2; exit 7"_s};
    const Ended ended = cli(runArguments(command) +
                            QStringList{u"--allow-command"_s, u"sh -c 'echo '\\''out of memory'\\'' >&2; exit 7'"_s});
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.failures().value(0).contains("ended with exit code 7; it wrote last: out of memory"),
             ended.err.constData());
}

void TestColdStart::theWaitHasItsLimit()
{
    const Ended ended = cli(runArguments({}, 1));
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.failures().value(0).contains("the target was not ready within 1 s (timeout_s); at last: "),
             ended.err.constData());
}

QTEST_GUILESS_MAIN(TestColdStart)
#include "tst_cold_start.moc"
