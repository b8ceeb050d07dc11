// SPDX-License-Identifier: GPL-3.0-or-later
// The counters of a real server process, from its /metrics to the result file, held against the records.
#include "programs.h"

#include <algorithm>
#include <cmath>

using namespace tailmark::test;

class TestServerCounters : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_simulator = std::make_unique<Simulator>(
            QStringList{u"--speculative-tokens"_s, u"3"_s, u"--acceptance"_s, u"0.7"_s});
        QVERIFY2(!m_simulator->url().isEmpty(), "the simulated engine did not start");
        QVERIFY(writeFile(
            file("m.json"),
            QJsonDocument(shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [2, 8]}])")).toJson()));
    }

    void countersOfEachPoint()
    {
        const QJsonObject result = run({u"measurement.duration_s=2.5"_s});
        const Csv records = Csv::ofFile(file("records.csv"));
        const QJsonArray points = result[u"points"_s].toArray();
        QCOMPARE(points.size(), 2);
        for (const QJsonValue& point : points) {
            const QJsonObject server = point[u"server"_s].toObject();
            const double load = point[u"load"_s][u"value"_s].toDouble();
            QVERIFY2(server[u"readings"_s].toInt() >= 2, QJsonDocument(server).toJson().constData());

            // the engine's own count of the whole point is that of the records
            double tokens = 0;
            for (qsizetype row = 0; row < records.size(); ++row)
                if (records.number(row, "load") == load)
                    tokens += records.number(row, "output_tokens");
            QVERIFY(tokens > 0);
            QCOMPARE(server[u"generated_in_point"_s].toDouble(), tokens);

            QVERIFY(server[u"running"_s][u"max"_s].toDouble() <= load);
            QVERIFY(server[u"running"_s][u"max"_s].toDouble() > 0);
            QVERIFY(server[u"kv_use"_s][u"max"_s].toDouble() <= 1);
            QVERIFY(server[u"generated_tokens"_s][u"delta"_s].toDouble() > 0);
            QVERIFY(server[u"queued_requests"_s][u"delta"_s].toDouble() > 0);
            QVERIFY(!server[u"mean_queue_s"_s].isNull());
            QVERIFY(server[u"remarks"_s].toArray().isEmpty());

            const QJsonObject speculation = server[u"speculation"_s].toObject();
            const double drafted = speculation[u"drafted_tokens_per_s"_s].toDouble();
            const double accepted = speculation[u"accepted_tokens_per_s"_s].toDouble();
            QVERIFY(drafted > 0 && accepted > 0 && accepted < drafted);
            QVERIFY(std::fabs(drafted - accepted - speculation[u"rejected_tokens_per_s"_s].toDouble()) <
                    1e-6 * drafted);
            QVERIFY(speculation[u"useful_tokens_per_s"_s].toDouble() > accepted); // one more of every step

            QStringList laws;
            for (const QJsonValue& law : point[u"laws"_s].toArray()) {
                laws << law[u"law"_s].toString();
                if (laws.last() == u"engine_tokens"_s)
                    QCOMPARE(law[u"relative_difference"_s].toDouble(), 0.0);
                if (laws.last() == u"speculation"_s)
                    QVERIFY2(std::fabs(law[u"relative_difference"_s].toDouble()) < 0.3,
                             qPrintable(law[u"text"_s].toString()));
            }
            QVERIFY2(laws.contains(u"engine_tokens"_s) && laws.contains(u"speculation"_s),
                     qPrintable(laws.join(u' ')));

            const QJsonObject generator = point[u"generator"_s].toObject();
            QCOMPARE(generator[u"threads"_s].toInt(), 1);
            QVERIFY(generator[u"timer_lag_ms"_s][u"n"_s].toInt() > 0);
            QVERIFY(generator[u"stamps"_s][u"kernel"_s].toInt() > 0);
            QVERIFY(generator[u"token_events"_s].toInt() > 0);
        }
        const Ended csv =
            cli({u"export"_s, u"latest"_s, u"--as"_s, u"csv"_s, u"--db"_s, file("runs.sqlite")});
        const Csv table(csv.out);
        QCOMPARE(table.size(), 2);
        QVERIFY(table.number(1, "server_generated_tokens") > 0);
        QVERIFY(table.number(1, "server_running_max") > 0);
        QVERIFY(table.at(0, "server_preemptions") == "0"); // told as zero
        const Ended report =
            cli({u"export"_s, u"latest"_s, u"--as"_s, u"md"_s, u"--db"_s, file("runs.sqlite")});
        for (const char* heading : {"Counters of the server", "The load generator itself", "Laws checked"})
            QVERIFY2(report.out.contains(heading), heading);
        QVERIFY(m_ended.out.contains("Tokens of the whole point"));
        QVERIFY(m_ended.out.contains("Speculative decoding"));
    }

    void noneIsAskedNothing()
    {
        const QJsonObject result = run({u"target.metrics_url=none"_s});
        for (const QJsonValue& point : result[u"points"_s].toArray())
            QVERIFY(point[u"server"_s].isNull());
        QVERIFY(result[u"warnings"_s].toArray().isEmpty());
    }

    void aPlaceWithoutCountersIsSaid()
    {
        const QJsonObject result = run({u"target.metrics_url="_s + m_simulator->url() + u"/nothing"_s});
        for (const QJsonValue& point : result[u"points"_s].toArray())
            QVERIFY(point[u"server"_s].isNull());
        const QString warning = result[u"warnings"_s].toArray().first().toString();
        QVERIFY2(warning.startsWith(u"No counters of the server: "_s) && warning.contains(u"HTTP 404"_s),
                 qPrintable(warning));
    }

private:
    QString file(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }

    QJsonObject run(const QStringList& settings)
    {
        QStringList arguments{u"run"_s,       file("m.json"),      u"--base-url"_s, m_simulator->url(),
                              u"--db"_s,      file("runs.sqlite"), u"--json"_s,     file("result.json"),
                              u"--records"_s, file("records.csv")};
        for (const QString& setting : settings)
            arguments << u"--set"_s << setting;
        m_ended = cli(arguments);
        QFile result(file("result.json"));
        if (!result.open(QIODevice::ReadOnly))
            qFatal("no result: %s", m_ended.err.constData());
        return object(result.readAll());
    }

    QTemporaryDir m_dir;
    std::unique_ptr<Simulator> m_simulator;
    Ended m_ended;
};

QTEST_GUILESS_MAIN(TestServerCounters)
#include "tst_server_counters.moc"
