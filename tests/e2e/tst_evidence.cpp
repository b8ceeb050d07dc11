// SPDX-License-Identifier: GPL-3.0-or-later
// How long a point goes on, which levels are measured, in which order, and what comes of it.
#include "programs.h"

using namespace tailmark::test;

namespace {

QJsonObject with(QJsonObject matrix, const char* section, const char* values)
{
    QJsonObject changed = matrix[QString::fromLatin1(section)].toObject();
    const QJsonObject changes = object(values);
    for (auto it = changes.begin(); it != changes.end(); ++it)
        changed[it.key()] = it.value();
    matrix[QString::fromLatin1(section)] = changed;
    return matrix;
}

} // namespace

class TestEvidence : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_database = file("runs.sqlite");
    }

    void aWindowGoesOnUntilStable_data();
    void aWindowGoesOnUntilStable();
    void theBracketIsRefined();
    void pointsAreMeasuredInTheOrderAsked_data();
    void pointsAreMeasuredInTheOrderAsked();
    void validateTellsTheEvidence();
    void fleetAndHeadroomAreTold();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    Ended run(const QJsonObject& matrix)
    {
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return cli({u"run"_s, file("matrix.json"), u"--db"_s, m_database, u"--base-url"_s, m_simulator.url(),
                    u"--json"_s, file("result.json"), u"--records"_s, file("records.csv")});
    }
    QJsonObject result() const
    {
        QFile json(file("result.json"));
        return json.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(json.readAll()).object()
                                              : QJsonObject();
    }

    Simulator m_simulator;
    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_database;
};

void TestEvidence::aWindowGoesOnUntilStable_data()
{
    QTest::addColumn<QByteArray>("tests");
    QTest::addColumn<QByteArray>("measurement");
    QTest::addColumn<bool>("stable");
    const QByteArray closed = R"([{"kind": "concurrency_sweep", "levels": [4]}])";
    const QByteArray open = R"([{"kind": "arrival_sweep", "rates_per_s": [100]}])";
    const QByteArray wide =
        R"({"until_stable": true, "stable_width": 9, "duration_s": 0.5, "max_duration_s": 20})";
    const QByteArray narrow =
        R"({"until_stable": true, "stable_width": 0.0001, "duration_s": 0.4, "max_duration_s": 1})";
    QTest::newRow("closed loop") << closed << wide << true;
    QTest::newRow("open loop") << open << wide << true;
    QTest::newRow("closed loop, ended by the limit") << closed << narrow << false;
    QTest::newRow("open loop, ended by the limit") << open << narrow << false;
}

void TestEvidence::aWindowGoesOnUntilStable()
{
    QFETCH(QByteArray, tests);
    QFETCH(QByteArray, measurement);
    QFETCH(bool, stable);
    const Ended ended = run(with(shortMatrix(tests), "measurement", measurement));
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const QJsonObject point = result()[u"points"_s][0].toObject();
    const QJsonObject window = point[u"window"_s].toObject();
    const double startS = window[u"start_s"_s].toDouble(), endS = window[u"end_s"_s].toDouble();
    const QString note = window[u"note"_s].toString();
    QVERIFY(std::fabs(startS - 0.3) < 1e-9);
    if (stable) {
        QVERIFY2(endS - startS >= 0.5 && endS - startS < 20, qPrintable(note));
        QVERIFY2(note.startsWith(u"went on for "_s) && note.contains(u"until stable: p90 TTFT"_s),
                 qPrintable(note));
    } else {
        QVERIFY(std::fabs(endS - startS - 1) < 1e-9);
        QVERIFY2(note.startsWith(u"ended by its limit of 1 s: p90 TTFT"_s), qPrintable(note));
    }
    QCOMPARE(point[u"outcomes_of_point"_s][u"not_sent"_s].toInt(), 0);
    const Csv records = Csv::ofFile(file("records.csv"));
    QVERIFY(records.size() > 10);
    for (qsizetype i = 0; i < records.size(); ++i)
        QVERIFY2(records.number(i, "intended_ms") < endS * 1000, records.at(i, "intended_ms").constData());
    const QJsonObject plan =
        result()[u"plan"_s][u"points"_s][0].toObject(); // what was asked, not what came of it
    QCOMPARE(plan[u"duration_s"_s].toDouble(), stable ? 0.5 : 0.4);
    QCOMPARE(plan[u"max_duration_s"_s].toDouble(), stable ? 20.0 : 1.0);
}

void TestEvidence::theBracketIsRefined()
{
    // 256 clients of an engine for 16 wait some 0.3 s for their turn, one waits for nobody.
    QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [1, 256]}])");
    matrix[u"slo"_s] =
        QJsonDocument::fromJson(R"([{"metric": "ttft_ms", "percentile": 90, "limit": 150}])").array();
    matrix = with(matrix, "measurement", R"({"refine": 2})");
    const Ended ended = run(matrix);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const QJsonArray points = result()[u"points"_s].toArray();
    for (int i = 0; i < 2; ++i) {
        const QJsonObject verdict = points[i][u"verdict"_s].toObject();
        if (!verdict[u"valid"_s].toBool() && !verdict[u"failure_stands"_s].toBool())
            QSKIP("the machine is too busy to measure this: a planned level is not valid, so that there is "
                  "no bracket");
    }
    QVERIFY2(ended.err.contains("refining: 1 more, 3 points"), ended.err.constData());
    QVERIFY2(ended.err.contains("[3/3] concurrency_sweep, concurrency 16"), ended.err.constData());
    const QJsonArray planned = result()[u"plan"_s][u"points"_s].toArray();
    QCOMPARE(points.size(), planned.size());
    QVERIFY(points.size() == 3 || points.size() == 4); // the third may be one that cannot be believed
    for (qsizetype i = 0; i < points.size(); ++i) {
        QCOMPARE(points[i][u"added"_s].toBool(), i >= 2);
        QCOMPARE(planned[i][u"added"_s].toBool(), i >= 2);
        QCOMPARE(planned[i][u"index"_s].toInt(), static_cast<int>(i));
        QCOMPARE(points[i][u"load"_s], planned[i][u"load"_s]);
    }
    QCOMPARE(points[2][u"load"_s][u"value"_s].toDouble(), 16.0);
    const Ended listed = cli({u"list"_s, u"--db"_s, m_database, u"--json"_s});
    QCOMPARE(listed.json()[0][u"points_planned"_s].toInt(), static_cast<int>(points.size()));
    QCOMPARE(listed.json()[0][u"points_done"_s].toInt(), static_cast<int>(points.size()));
}

void TestEvidence::pointsAreMeasuredInTheOrderAsked_data()
{
    QTest::addColumn<QString>("order");
    QTest::newRow("sequential") << u"sequential"_s;
    QTest::newRow("interleaved") << u"interleaved"_s;
    QTest::newRow("shuffled") << u"shuffled"_s;
}

/// Results are told in the order in which points were started; the records in that in which they were stored.
void TestEvidence::pointsAreMeasuredInTheOrderAsked()
{
    QFETCH(QString, order);
    QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "name": "c", "levels": [1, 2, 3]},
                                         {"kind": "arrival_sweep", "name": "a", "rates_per_s": [20, 30]}])");
    matrix = with(matrix, "measurement", R"({"repeats": 2, "warmup_s": 0, "duration_s": 0.2})");
    matrix = with(matrix, "measurement", QByteArray("{\"order\": \"" + order.toLatin1() + "\"}"));
    const Ended ended = run(matrix);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const auto nameOf = [](const QJsonValue& point) {
        return point[u"test"_s].toString() + QString::number(point[u"load"_s][u"value"_s].toDouble()) + u'/' +
               QString::number(point[u"repeat"_s].toInt());
    };
    QStringList measured, planned, told;
    for (const QJsonValue& point : result()[u"points"_s].toArray())
        measured << nameOf(point);
    for (const QJsonValue& point : result()[u"plan"_s][u"points"_s].toArray())
        planned << nameOf(point);
    QCOMPARE(measured, planned);
    const Csv records = Csv::ofFile(file("records.csv"));
    for (qsizetype i = 0; i < records.size(); ++i) {
        const QString at =
            QString::fromUtf8(records.at(i, "test") + records.at(i, "load") + '/' + records.at(i, "repeat"));
        if (told.isEmpty() || told.last() != at)
            told << at;
    }
    QCOMPARE(told, measured);
    if (order == u"sequential"_s)
        QCOMPARE(measured.join(u' '), u"c1/0 c2/0 c3/0 c1/1 c2/1 c3/1 a20/0 a30/0 a20/1 a30/1"_s);
    if (order == u"interleaved"_s)
        QCOMPARE(measured.join(u' '), u"c1/0 a20/0 c2/0 a30/0 c3/0 c1/1 a20/1 c2/1 a30/1 c3/1"_s);
    for (qsizetype i = 0; order == u"shuffled"_s && i < measured.size(); ++i)
        QCOMPARE(measured[i].last(1), i < 5 ? u"0"_s : u"1"_s); // each repeat a block of its own
}

void TestEvidence::validateTellsTheEvidence()
{
    writeFile(file("matrix.json"),
              QJsonDocument(shortMatrix(R"([{"kind": "arrival_sweep", "rates_per_s": [5, 400]}])")).toJson());
    const Ended ended = cli({u"validate"_s, file("matrix.json")});
    QCOMPARE(ended.code, 0);
    QVERIFY2(ended.out.contains("6 requests, give or take 41 %, in 1.2 s: p90 has no interval, which needs 36"),
             ended.out.constData());
    QVERIFY2(ended.out.contains("480 requests in 1.2 s: p90 is firm"), ended.out.constData());
}

void TestEvidence::fleetAndHeadroomAreTold()
{
    QCOMPARE(run(shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [1, 2]}])")).code, 0);
    const Ended ended =
        cli({u"operating-point"_s, u"latest"_s, u"--db"_s, m_database, u"--json"_s, u"--slo"_s,
             u"ttft_ms:p90<=60000"_s, u"--fleet"_s, u"1000000"_s, u"--headroom"_s, u"0.5"_s});
    QCOMPARE(ended.code, 0);
    const QJsonObject fleet = ended.json()[0][u"fleet"_s].toObject();
    const double perReplica = fleet[u"per_replica"_s].toDouble();
    QVERIFY(perReplica > 0);
    QCOMPARE(fleet[u"replicas"_s].toInt(),
             static_cast<int>(std::ceil(1'000'000 / (0.5 * perReplica) - 1e-9)));
    QVERIFY(fleet[u"sentence"_s].toString().contains(u"50 % kept free"_s));
    QCOMPARE(cli({u"operating-point"_s, u"latest"_s, u"--db"_s, m_database, u"--fleet"_s, u"much"_s}).code,
             2);
    QCOMPARE(cli({u"operating-point"_s, u"latest"_s, u"--db"_s, m_database, u"--headroom"_s, u"0.2"_s}).code,
             2);
}

QTEST_GUILESS_MAIN(TestEvidence)
#include "tst_evidence.moc"
