// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/request_hash.h"

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

Matrix smallMatrix()
{
    Matrix m;
    m.target.model = "m";
    m.workload.lengths = fixedLengths(40, 8);
    m.workload.prefix = {PrefixKind::Shared, 16, 2, 0.5};
    m.tests.resize(2);
    m.tests[0].kind = TestKind::ConcurrencySweep;
    m.tests[0].levels = {2};
    m.tests[0].thinkTimeS = 0.25;
    m.tests[1].kind = TestKind::ArrivalSweep;
    m.tests[1].process = ArrivalProcess::Constant;
    m.tests[1].ratesPerS = {10};
    m.measurement.warmupS = 0;
    m.measurement.durationS = 2;
    m.measurement.maxRequests = 15;
    return m;
}

struct Names
{
    std::string sent, prompts;
    int hashed = 0;
};

Names namesOf(const Matrix& matrix, const BodyOptions& body = {})
{
    const auto names =
        requestNames(expand(matrix).value(), body, [](const PointPlan&) { return nullptr; }).value();
    return {names["sha256"], names["prompts_sha256"], names["hashed"]};
}

using Change = std::function<void(Matrix&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class RequestHashTest : public QObject
{
    Q_OBJECT

private slots:
    /// The same on every machine: a change of it is a change of what every stored run asked.
    void ofASmallMatrix()
    {
        const Names names = namesOf(smallMatrix());
        QCOMPARE(names.hashed, 30);
        QCOMPARE(QString::fromStdString(names.sent),
                 QString("1cd79c095cc5ca3d0be741e0dd4f0da2cd0aaeee37b9e2dfac80293a6d75fca1"));
        QCOMPARE(QString::fromStdString(names.prompts),
                 QString("049bf85ff366d95ee40173eb167a58b27e7839496a5d62e1e53cdadfa3ac57fa"));
    }

    /// Likewise of conversations: as messages, and as one text.
    void ofConversations()
    {
        Matrix m = smallMatrix();
        m.tests.resize(1);
        m.workload.sessions = {SessionsKind::Synthetic, 3, 12};
        QCOMPARE(QString::fromStdString(namesOf(m).prompts), QString("a09f3c2336df39695a694bad1b1cfd0e5dbf0139e46a65aa328663417a0e5c81"));
        m.target.api = Api::Completions;
        QCOMPARE(QString::fromStdString(namesOf(m).prompts), QString("26ce71660f30a344ad72511c625cd95cc91bbb0ab19ba2b646b5ad79c2ecde0d"));
    }

    /// Likewise of everything that is drawn: lengths, arrivals of each process, think times.
    void ofWhatIsDrawn()
    {
        Matrix m = smallMatrix();
        m.workload.lengths.kind = LengthsKind::Quantiles;
        m.workload.lengths.promptQuantiles = {{"p50", 800}, {"p95", 6000}, {"p99", 24000}};
        m.workload.lengths.outputQuantiles = {{"p50", 128}, {"p95", 512}};
        m.workload.lengths.rankCorrelation = 0.3;
        m.tests[0].thinkTime = ThinkTime::Exponential;
        for (const auto& [process, cv] : {std::pair{ArrivalProcess::Poisson, 1.0}, {ArrivalProcess::Gamma, 2.5},
                                          {ArrivalProcess::Weibull, 2.5}}) {
            m.tests.push_back(m.tests[1]);
            m.tests.back().process = process;
            m.tests.back().cv = cv;
            m.tests.back().ratesPerS = {100, 400};
        }
        m.measurement.durationS = 10;
        m.measurement.maxRequests = 2000;
        const Names names = namesOf(m);
        QCOMPARE(names.hashed, 9796);
        QCOMPARE(QString::fromStdString(names.sent), QString("7c499844d7b2c5245a291079492419565454d81f772bd114486cee5f95e49eb4"));
        QCOMPARE(QString::fromStdString(names.prompts), QString("f97f5f5e1a95f40316dac27fb9256f1c3a73a727bfd32c61438e8b3c46a83431"));
    }

    void differsWithWhatIsAsked_data()
    {
        QTest::addColumn<Change>("change");
        QTest::newRow("seed") << Change([](Matrix& m) { m.workload.seed = 2; });
        QTest::newRow("a length") << Change([](Matrix& m) { m.workload.lengths.outputTokens = 9; });
        QTest::newRow("a time") << Change([](Matrix& m) { m.tests[1].ratesPerS = {11}; });
        QTest::newRow("a pause") << Change([](Matrix& m) { m.tests[0].thinkTimeS = 0.5; });
        QTest::newRow("sharing") << Change([](Matrix& m) { m.workload.prefix.share = 0.6; });
        QTest::newRow("sampling") << Change([](Matrix& m) { m.workload.sampling = {{"temperature", 1}}; });
        QTest::newRow("count") << Change([](Matrix& m) { m.measurement.maxRequests = 16; });
    }
    void differsWithWhatIsAsked()
    {
        QFETCH(Change, change);
        Matrix m = smallMatrix();
        change(m);
        const Names names = namesOf(m), before = namesOf(smallMatrix());
        QVERIFY(names.sent != before.sent);
        QVERIFY(names.prompts != before.prompts);
    }

    void promptsAreTheSameOnAnotherTarget()
    {
        const Names before = namesOf(smallMatrix());
        Matrix m = smallMatrix();
        m.target.model = "other";
        BodyOptions body;
        body.ignoreEos = body.minTokens = true;
        body.maxTokensField = "max_completion_tokens";
        const Names other = namesOf(m, body);
        QVERIFY(other.sent != before.sent);
        QCOMPARE(other.prompts, before.prompts);
        body.fit.overheadTokens = 5; // prompts of other words are other prompts
        QVERIFY(namesOf(m, body).prompts != before.prompts);
    }

    void theSaltIsLeftOut()
    {
        for (const char* field : {"", "cache_salt"}) {
            Matrix m = smallMatrix();
            m.workload.cache = CachePolicy::Cold;
            BodyOptions first, second;
            first.saltField = second.saltField = field;
            first.runSalt = "run 1";
            second.runSalt = "run 2";
            QCOMPARE(namesOf(m, first).sent, namesOf(m, second).sent);
        }
    }

    /// A long closed loop is named by its beginning.
    void workIsBounded()
    {
        Matrix m = smallMatrix();
        m.measurement.maxRequests = 0;
        m.tests.resize(1);
        QCOMPARE(namesOf(m).hashed, static_cast<int>(kClosedLoopRequests));
        m.workload.lengths = fixedLengths(200'000, 8); // a megabyte each
        const Names names = namesOf(m);
        QCOMPARE(names.hashed, static_cast<int>(kClosedLoopRequests));
        QVERIFY(names.sent != namesOf(smallMatrix()).sent);
    }
};

QTEST_GUILESS_MAIN(RequestHashTest)
#include "tst_request_hash.moc"
