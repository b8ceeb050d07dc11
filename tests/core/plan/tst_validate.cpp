// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/validate.h"

#include "plan/plan_json.h"

#include <QtTest>

#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

/// One test of each kind, all well.
Matrix wholeMatrix()
{
    Matrix m;
    m.workload.cache = CachePolicy::Cold;
    for (const TestKind kind : {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep,
                                TestKind::BurstRecovery}) {
        m.tests.emplace_back();
        m.tests.back().kind = kind;
    }
    return m;
}

QStringList said(const Matrix& matrix, Finding::Severity severity)
{
    QStringList list;
    for (const Finding& finding : validate(matrix)) {
        if (finding.severity == severity)
            list << QString::fromStdString(finding.path + ": " + finding.message);
    }
    return list;
}

QStringList errors(const Matrix& matrix)
{
    return said(matrix, Finding::Severity::Error);
}

QStringList remarks(const Matrix& matrix)
{
    return said(matrix, Finding::Severity::Remark);
}

using Change = std::function<void(Matrix&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class ValidateTest : public QObject
{
    Q_OBJECT

private slots:
    void aGoodMatrixHasNoErrors()
    {
        QCOMPARE(errors(wholeMatrix()), QStringList());
        QVERIFY(!hasErrors(validate(wholeMatrix())));
    }

    void wrongValues_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("error");
        int number = 0;
        const auto row = [&](const char* path, Change change, const char* message) {
            QTest::addRow("%d %s", ++number, path)
                << std::move(change) << QString::fromUtf8(path) + ": " + QString::fromUtf8(message);
        };
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        const char* seconds = "must be a number above 0 and at most 86,400 s, is ";
        row(
            "schema_version", [](Matrix& m) { m.schemaVersion = 2; }, "must be 1, is 2");
        row(
            "target.engine", [](Matrix& m) { m.target.engine = "VLLM"; },
            "must be \"auto\", \"vllm\", \"sglang\", \"llamacpp\", \"tgi\", \"trtllm\", \"triton\", "
            "\"ollama\", \"lmdeploy\", \"litellm\", \"openai\", \"generic\" or \"sim\", is \"VLLM\"");
        row(
            "paired_with.target.headers.Authorization",
            [](Matrix& m) {
                m.pairedWith.emplace();
                m.pairedWith->target.headers = {{"Authorization", "Bearer sk-1"}};
            },
            "holds a secret, which is never kept in a matrix; name its environment variable in "
            "paired_with.target.api_key_env");
        row(
            "measurement.refine",
            [](Matrix& m) {
                m.pairedWith.emplace();
                m.measurement.refine = 2;
            },
            "must be 0 with paired_with: each run would add levels that the other has not");
        row(
            "bound.bytes_per_param", [](Matrix& m) { m.bound.bytesPerParam = -1; },
            "must be a number from 0 to 16, is -1");
        row(
            "bound.accelerator", [](Matrix& m) { m.bound.accelerator = "h100"; },
            "must be empty (none), or \"a100-40gb\", \"a100-80gb-pcie\", \"a100-80gb-sxm\", \"h100-pcie\", "
            "\"h100-sxm\", \"h200-sxm\", \"b200-sxm\", \"gb200\", \"l4\", \"l40s\", \"a10\", \"a10g\", \"mi300x\" or "
            "\"rtx-4090\", is \"h100\"");
        row(
            "workload.lengths.prompt_tokens", [](Matrix& m) { m.workload.lengths.promptTokens = 0; },
            "must be a whole number from 1 to 2,000,000 tokens, is 0");
        row(
            "workload.lengths.file", [](Matrix& m) { m.workload.lengths.kind = LengthsKind::Trace; },
            "is missing; must be the name of a file, or empty where hash names a log that is kept");
        row(
            "workload.lengths.format",
            [](Matrix& m) { m.workload.lengths = fileLengths(LengthsKind::Trace, "a.csv", "parquet"); },
            "must be \"auto\", \"azure\", \"burstgpt\", \"vidur\", \"mooncake\", \"bailian\", \"weka\", "
            "\"sharegpt\", "
            "\"servegen\", \"vllm\", \"aiperf\", \"guidellm\" or \"generic\", is \"parquet\"");
        const auto quantiles = [](LengthQuantiles prompt, double correlation) {
            return [=](Matrix& m) {
                m.workload.lengths = {};
                m.workload.lengths.kind = LengthsKind::Quantiles;
                m.workload.lengths.promptQuantiles = prompt;
                m.workload.lengths.outputQuantiles = {{"p50", 100}, {"p99", 400}};
                m.workload.lengths.rankCorrelation = correlation;
            };
        };
        row("workload.lengths.prompt.p99", quantiles({{"p50", 800}, {"p95", 6000}, {"p99", 500}}, 0),
            "must not be below p95 (6,000), is 500");
        row("workload.lengths.prompt.max", quantiles({{"p50", 800}, {"max", 799}}, 0),
            "must not be below p50 (800), is 799");
        row("workload.lengths.prompt.p50", quantiles({{"p50", 0}, {"p99", 500}}, 0),
            "must be a whole number from 1 to 2,000,000 tokens, is 0");
        row("workload.lengths.prompt.p100", quantiles({{"p50", 1}, {"p100", 500}}, 0),
            "is no quantile; allowed: p0.1 to p99.9, min and max");
        row("workload.lengths.prompt.p50x", quantiles({{"p50x", 1}, {"p99", 500}}, 0),
            "is no quantile; allowed: p0.1 to p99.9, min and max");
        row("workload.lengths.prompt.p50.0", quantiles({{"p50", 1}, {"p50.0", 500}}, 0),
            "is the same quantile as p50");
        row("workload.lengths.prompt", quantiles({{"p50", 1}}, 0),
            "must be an object of at least two quantiles in tokens, like {\"p50\": 800, \"p95\": 6000, \"p99\": "
            "24000}");
        row("workload.lengths.rank_correlation", quantiles({{"p50", 1}, {"p99", 500}}, 1.5),
            "must be a number from -1 to 1, is 1.5");
        const auto mix = [](std::vector<MixPart> parts) {
            return [=](Matrix& m) {
                m.workload.lengths.kind = LengthsKind::Mix;
                m.workload.lengths.parts = parts;
            };
        };
        Lengths nested;
        nested.kind = LengthsKind::Mix;
        row("workload.lengths.parts", mix({}),
            "is empty; there must be at least one part with name, weight and lengths");
        row("workload.lengths.parts[1].name", mix({{"a", 1, {}, {}}, {"a", 1, {}, {}}}),
            "must be unique, \"a\" stands for two parts");
        row("workload.lengths.parts[0].name", mix({{"", 1, {}, {}}}),
            "must be one line of text, 1 to 60 characters, is \"\"");
        row("workload.lengths.parts[0].weight", mix({{"a", 0, {}, {}}}),
            "must be a number above 0 and at most 1,000,000,000, is 0");
        row("workload.lengths.parts[0].lengths.kind", mix({{"a", 1, nested, {}}}),
            "must not be \"mix\": a part of a mix has lengths of its own");
        row("workload.lengths.parts[0].lengths.prompt_tokens", mix({{"a", 1, fixedLengths(0, 1), {}}}),
            "must be a whole number from 1 to 2,000,000 tokens, is 0");
        row(
            "workload.prefix.share", [](Matrix& m) { m.workload.prefix.share = 1.5; },
            "must be a number from 0 to 1, is 1.5");
        row(
            "workload.prefix.groups", [](Matrix& m) { m.workload.prefix.groups = 0; },
            "must be a whole number from 1 to 1,000,000, is 0");
        row(
            "workload.prefix.kind", [](Matrix& m) { m.workload.prefix.kind = PrefixKind::Trace; },
            "is \"trace\", which needs workload.lengths.kind \"trace\": the log it is of");
        row(
            "workload.sessions.kind",
            [](Matrix& m) {
                m.workload.sessions.kind = SessionsKind::Trace;
                m.tests.resize(2);
            },
            "is \"trace\", which needs workload.lengths.kind \"trace\": the log it is of");
        row(
            "workload.prefix.kind",
            [](Matrix& m) {
                m.workload.lengths = fileLengths(LengthsKind::Trace, "a.jsonl", "mooncake");
                m.workload.prefix.kind = PrefixKind::Trace;
                m.workload.sessions.kind = SessionsKind::Synthetic;
                m.tests.resize(2);
            },
            "is \"trace\", whose blocks belong to the requests of the log; workload.sessions.kind must then be "
            "\"none\" or \"trace\"");
        row(
            "workload.sessions.turns",
            [](Matrix& m) {
                m.workload.sessions = {SessionsKind::Synthetic, 0};
                m.tests.resize(2);
            },
            "must be a whole number from 1 to 1,000, is 0");
        row(
            "tests[2].kind",
            [](Matrix& m) {
                m.workload.sessions.kind = SessionsKind::Synthetic;
                m.tests.resize(3);
            },
            "is \"arrival_sweep\", whose arrivals wait for no answer; workload.sessions needs "
            "concurrency_sweep");
        row(
            "slo[0].percentile", [](Matrix& m) { m.slo[0].percentile = 100; },
            "must be a number above 0 and below 100, is 100");
        row(
            "slo[0].percentile", [](Matrix& m) { m.slo[0].percentile = 0; },
            "must be a number above 0 and below 100, is 0");
        row(
            "slo[0].limit", [](Matrix& m) { m.slo[0].limit = 0; },
            "must be a number above 0 and at most 1,000,000,000, is 0");
        row(
            "slo[0].metric", [](Matrix& m) { m.slo[0].metric = "ttft"; },
            "must be \"ttft_ms\", \"ttft_intended_ms\", \"tpot_ms\", \"chunk_gap_ms\", \"itl_ms\", "
            "\"e2e_ms\", "
            "\"e2e_intended_ms\" or \"output_tokens_per_s_user\", is \"ttft\"");
        row(
            "tests[0].concurrency", [](Matrix& m) { m.tests[0].concurrency = 0; },
            "must be a whole number from 1 to 65,536, is 0");
        row(
            "tests[0].concurrency", [](Matrix& m) { m.tests[0].concurrency = 5000; },
            "must not be above limits.max_in_flight (4,096), is 5,000");
        row(
            "tests[1].levels[1]",
            [](Matrix& m) {
                m.tests[1].levels = {4, 4};
            },
            "must be above the value before it (4), is 4");
        row(
            "tests[1].levels[2]",
            [](Matrix& m) {
                m.tests[1].levels = {1, 8, 2};
            },
            "must be above the value before it (8), is 2");
        row(
            "tests[1].levels", [](Matrix& m) { m.tests[1].levels = {}; },
            "must be a list of numbers, each a whole number from 1 to 65,536, in rising order, is empty");
        row(
            "tests[1].levels[0]", [](Matrix& m) { m.tests[1].levels[0] = 0; },
            "must be a whole number from 1 to 65,536, is 0");
        row(
            "tests[1].think_time_s", [](Matrix& m) { m.tests[1].thinkTimeS = -1; },
            "must be a number from 0 to 3,600 s, is -1");
        row(
            "tests[2].rates_per_s[2]",
            [](Matrix& m) {
                m.tests[2].ratesPerS = {1, 2, std::numeric_limits<double>::infinity()};
            },
            "must be a number above 0 and at most 100,000, is inf");
        row(
            "tests[2].rates_per_s[0]", [](Matrix& m) { m.tests[2].ratesPerS[0] = 0; },
            "must be a number above 0 and at most 100,000, is 0");
        row(
            "tests[2].cv", [](Matrix& m) { m.tests[2].cv = 0; },
            "must be a number above 0 and at most 100, is 0");
        row(
            "tests[2].rates_per_s[1]",
            [](Matrix& m) {
                m.tests[2].ratesPerS = {1, 1000};
                m.measurement.durationS = 10'000;
            },
            "makes 10,005,000 requests in one point; at most 5,000,000");
        row(
            "tests[3].burst_rate_per_s", [](Matrix& m) { m.tests[3].burstRatePerS = 4; },
            "must be above base_rate_per_s (4), is 4");
        row(
            "tests[3].recovery_s", [](Matrix& m) { m.tests[3].recoveryS = 0; },
            "must be a number above 0 and at most 86,400 s, is 0");
        row(
            "tests[1].name", [](Matrix& m) { m.tests[0].name = m.tests[1].name = "a"; },
            "must be unique, \"a\" stands for two tests");
        row(
            "tests[1].name", [](Matrix& m) { m.tests[1].name = "a\nb"; },
            "must be one line of text, at most 1,000 characters, is \"a\\nb\"");
        row(
            "measurement.duration_s", [nan](Matrix& m) { m.measurement.durationS = nan; },
            (std::string(seconds) + "nan").c_str());
        row(
            "measurement.duration_s", [inf](Matrix& m) { m.measurement.durationS = inf; },
            (std::string(seconds) + "inf").c_str());
        row(
            "measurement.warmup_s", [](Matrix& m) { m.measurement.warmupS = -0.5; },
            "must be a number from 0 to 86,400 s, is -0.5");
        row(
            "measurement.repeats", [](Matrix& m) { m.measurement.repeats = 0; },
            "must be a whole number from 1 to 100, is 0");
        row(
            "measurement.max_requests", [](Matrix& m) { m.measurement.maxRequests = -1; },
            "must be a whole number from 0 to 5,000,000, is -1");
        row(
            "limits.total_timeout_s", [](Matrix& m) { m.limits.totalTimeoutS = 7200; },
            "must be a number above 0 and at most 3,600 s, is 7,200");
        row(
            "target.headers.Authorization",
            [](Matrix& m) {
                m.target.headers = {{"Authorization", "Bearer sk-1"}};
            },
            "holds a secret, which is never kept in a matrix; name its environment variable in "
            "target.api_key_env");
        row(
            "target.headers.X Y",
            [](Matrix& m) {
                m.target.headers = {{"X Y", "1"}};
            },
            "is no header name; allowed: letters, digits and -");
        row(
            "target.headers.X-A",
            [](Matrix& m) {
                m.target.headers = {{"X-A", "1\r\nX-B: 2"}};
            },
            "must be one line of text");
        row(
            "target.extra_body.stream",
            [](Matrix& m) {
                m.target.extraBody = {{"stream", false}};
            },
            "is set by the workload itself and cannot be given here");
        row(
            "workload.extras.max_tokens",
            [](Matrix& m) {
                m.workload.extras = {{"max_tokens", 1}};
            },
            "is set by the workload itself and cannot be given here");
        row(
            "card.accelerator_count",
            [](Matrix& m) {
                m.card.entries = {{"accelerator_count", "8 x"}};
            },
            "must be a whole number from 0 to 1,000,000, is \"8 x\"");
        row(
            "card.accelerator_count",
            [](Matrix& m) {
                m.card.entries = {{"accelerator_count", "-1"}};
            },
            "must be a whole number from 0 to 1,000,000, is \"-1\"");
        row(
            "card.gpu",
            [](Matrix& m) {
                m.card.entries = {{"gpu", "H100"}};
            },
            "is not an entry of the card");
        row(
            "workload.sampling", [](Matrix& m) { m.workload.sampling = 3; }, "must be an object");
    }
    void wrongValues()
    {
        QFETCH(Change, change);
        QFETCH(QString, error);
        Matrix m = wholeMatrix();
        change(m);
        QCOMPARE(errors(m), QStringList{error});
        QVERIFY(hasErrors(validate(m)));
        QVERIFY(!valueErrors(m).empty());
    }

    void urls_data()
    {
        QTest::addColumn<bool>("good");
        for (const char* url : {"http://127.0.0.1:8000/v1", "https://api.example.com/v1", "http://localhost",
                                "http://[::1]:80/v1", "https://a-b.example:65535/x/y/"})
            QTest::newRow(url) << true;
        for (const char* url :
             {"", "127.0.0.1:8000", "ftp://host/v1", "http://", "http:///v1", "http://:8000/v1",
              "http://host:/v1", "http://host:0/v1", "http://host:65536/v1", "http://host:80a/v1",
              "http://user:key@host/v1", "http://host/v1?key=abc", "http://host/v1#x", "http://ho st/v1",
              "http://host\n/v1", "http://[::1/v1", "http://[]/v1", "HTTP//host"})
            QTest::newRow(*url ? url : "empty") << false;
    }
    void urls()
    {
        QFETCH(bool, good);
        Matrix m = wholeMatrix();
        m.target.baseUrl = QByteArray(QTest::currentDataTag()) == "empty" ? "" : QTest::currentDataTag();
        const QStringList found = errors(m);
        QCOMPARE(found.isEmpty(), good);
        QVERIFY(good || found[0].startsWith("target.base_url: must be an http:// or https:// URL"));
        for (const QString& line : found) // what looks like a secret is not repeated
            QVERIFY(!line.contains("key@") && !line.contains("abc"));
    }

    void everythingWrongIsToldAtOnce()
    {
        Matrix m = wholeMatrix();
        m.target.baseUrl = "x";
        m.slo[0].limit = -1;
        m.tests[2].ratesPerS = {-1, -2};
        m.limits.maxInFlight = 0;
        QStringList paths;
        for (const QString& error : errors(m))
            paths << error.section(':', 0, 0);
        QCOMPARE(paths.mid(0, 6),
                 QStringList({"target.base_url", "slo[0].limit", "tests[2].rates_per_s[0]",
                              "tests[2].rates_per_s[1]", "tests[2].rates_per_s[1]", "limits.max_in_flight"}));
    }

    void nothingToRun()
    {
        Matrix m;
        QCOMPARE(errors(m), QStringList{"tests: is empty; there must be at least one test"});
        QVERIFY(valueErrors(m).empty());
        m = wholeMatrix();
        for (Test& test : m.tests)
            test.enabled = false;
        QCOMPARE(errors(m), QStringList{"tests: are all disabled; at least one must be enabled"});
    }

    void aDisabledTestIsCheckedTooAndNotRemarkedOn()
    {
        Matrix m = wholeMatrix();
        m.tests[1].enabled = false;
        m.tests[1].levels = {1, 2};
        QVERIFY(remarks(m).filter("levels").isEmpty());
        m.tests[1].levels = {2, 1};
        QCOMPARE(errors(m).size(), 1);
    }

    void remarkOnFewLevels()
    {
        Matrix m = wholeMatrix();
        m.tests[1].levels = {1, 2, 3, 4, 5, 6, 7};
        QVERIFY(remarks(m).contains(
            "tests[1].levels: has 7 levels; a curve needs about eight to show where it bends"));
        m.tests[1].levels.push_back(8);
        QVERIFY(remarks(m).filter("tests[1].levels").isEmpty());
    }

    void remarkOnAClosedLoopOfOneLength()
    {
        Matrix m = wholeMatrix();
        m.tests.push_back(m.tests[1]); // one remark for all of them
        QCOMPARE(remarks(m).filter("workload.lengths.kind"),
                 QStringList{"workload.lengths.kind: is \"fixed\": with one fixed length the workers of tests[1] stay in "
                             "step, and how they happen to start decides the curve; lengths that vary (quantiles, "
                             "trace, empirical) are better"});
        m.workload.lengths.kind = LengthsKind::Quantiles;
        QVERIFY(remarks(m).filter("workload.lengths.kind").isEmpty());
        m.workload.lengths.kind = LengthsKind::Fixed;
        m.tests[1].enabled = m.tests[4].enabled = false; // a fixed shape is one on purpose
        QVERIFY(remarks(m).filter("workload.lengths.kind").isEmpty());
    }

    void remarkOnSamples()
    {
        Matrix m = wholeMatrix();
        m.tests = {m.tests[2]};
        m.tests[0].ratesPerS = {4, 5, 6, 7, 8, 9, 33, 34};
        QCOMPARE(
            remarks(m),
            QStringList{"tests[0].rates_per_s: p99 needs about 1,000 requests; rate 4/s × 30 s gives 120 "
                        "(7 of 8 rates fall short; 6 have no interval, which needs 368 requests)"}); // 33.3/s would do
        m.tests[0].ratesPerS = {4, 5, 6, 7, 8, 9, 34, 35};
        m.slo[0].percentile = 90; // needs 100
        QCOMPARE(remarks(m), QStringList());
        m.slo.push_back({"tpot_ms", 99.9, 100});
        QVERIFY(remarks(m)[0].startsWith("tests[0].rates_per_s: p99.9 needs about 10,000 requests; "));
        m.measurement.maxRequests = 500;
        QCOMPARE(
            remarks(m),
            QStringList{"measurement.max_requests: p99.9 needs about 10,000 requests; this stops at 500"});
    }

    void whatGoesOnUntilStableHasALimitAboveItsLength()
    {
        Matrix m = wholeMatrix();
        m.measurement.untilStable = true;
        m.measurement.maxDurationS = 20;
        QCOMPARE(errors(m), QStringList{"measurement.max_duration_s: must not be below duration_s (30) where "
                                        "until_stable is true, is 20"});
        m.measurement.maxDurationS = 30;
        QCOMPARE(errors(m), QStringList());
        m.measurement.untilStable = false;
        m.measurement.maxDurationS = 20;
        QCOMPARE(errors(m), QStringList());
    }

    void refiningNeedsALimit()
    {
        Matrix m = wholeMatrix();
        m.measurement.refine = 3;
        QVERIFY(remarks(m).filter("measurement.refine").isEmpty());
        m.slo.clear();
        QCOMPARE(remarks(m).filter("measurement.refine").size(), 1);
    }

    void samplesOfAPercentile()
    {
        QCOMPARE(samplesForPercentile(50), 20.0);
        QCOMPARE(samplesForPercentile(90), 100.0);
        QCOMPARE(samplesForPercentile(95), 200.0);
        QCOMPARE(samplesForPercentile(99), 1000.0);
        QCOMPARE(samplesForPercentile(99.9), 10'000.0);
    }

    void aLimitThatCannotBeMeasuredIsRemarked()
    {
        Matrix m = wholeMatrix();
        m.slo = {{"itl_ms", 95, 40}};
        m.workload.tokenEvidence = TokenEvidencePolicy::On;
        QVERIFY(remarks(m).filter("slo[0]").isEmpty());
        m.workload.tokenEvidence = TokenEvidencePolicy::Off;
        QCOMPARE(remarks(m).filter("slo[0].metric: is \"itl_ms\", which needs the tokens of each chunk, which "
                                   "workload.token_evidence \"off\" does not ask for").size(), 1);
        m.slo = {{"ttft_ms", 95, 40}, {"tpot_ms", 95, 40}};
        m.workload.lengths.kind = LengthsKind::Fixed;
        m.workload.lengths.outputTokens = 1;
        QVERIFY(remarks(m).filter("slo[0]").isEmpty());
        QCOMPARE(remarks(m).filter("slo[1].metric: is \"tpot_ms\", which lies between two tokens").size(), 1);
    }

    void otherRemarks()
    {
        Matrix m = wholeMatrix();
        const QStringList before = remarks(m);
        m.workload.cache = CachePolicy::AsIs;
        m.workload.streaming = false;
        m.workload.prefix.kind = PrefixKind::Shared;
        m.slo.clear();
        m.measurement.warmupS = 0;
        const QString all = remarks(m).join('\n');
        for (const char* path : {"workload.cache:", "workload.streaming:", "workload.prefix:", "slo:",
                                 "measurement.warmup_s:"}) {
            QVERIFY2(all.contains(path), path);
            QVERIFY(before.filter(path).isEmpty());
        }
        m.workload.prefix = {PrefixKind::Shared, 512, 1, 1};
        QVERIFY(
            remarks(m).filter("workload.prefix.shared_tokens: is not below the prompt's 512 tokens").size() ==
            1);
        m.workload.lengths = {};
        m.workload.lengths.kind = LengthsKind::Mix;
        m.workload.lengths.parts.push_back({"log", 1, {}, {}});
        Lengths& ofLog = m.workload.lengths.parts[0].lengths;
        ofLog.kind = LengthsKind::Trace;
        ofLog.file = "a.csv";
        QVERIFY(remarks(m).filter("independently").isEmpty());
        ofLog.draw = LengthsDraw::Independent;
        QVERIFY(remarks(m).contains("workload.lengths.parts[0].lengths.draw: prompt and output lengths drawn "
                                    "independently: the relation of the log is lost"));
        QCOMPARE(errors(m), QStringList());
    }

    void whatAReplayDoesIsSaid()
    {
        Matrix m = wholeMatrix();
        m.tests.resize(2);
        m.workload.lengths = fileLengths(LengthsKind::Trace, "a.jsonl", "mooncake");
        m.workload.prefix.kind = PrefixKind::Trace;
        m.workload.sessions.kind = SessionsKind::Trace;
        QCOMPARE(errors(m), QStringList());
        QCOMPARE(remarks(m).filter("workload.prefix.kind: is \"trace\": the sharing lies in the order").size(), 1);
        QCOMPARE(remarks(m).filter("workload.sessions: every prompt carries the turns before it").size(), 1);
    }

    void hints()
    {
        QCOMPARE(allowedAt("workload.lengths.rank_correlation"), std::string("a number from -1 to 1"));
        QCOMPARE(allowedAt("workload.lengths.parts[1].weight"),
                 std::string("a number above 0 and at most 1,000,000,000"));
        QCOMPARE(allowedAt("workload.lengths.draw"), std::string("\"joint\" or \"independent\""));
        QCOMPARE(allowedAt("measurement.duration_s"), std::string("a number above 0 and at most 86,400 s"));
        QCOMPARE(allowedAt("tests[3].rates_per_s[2]"), allowedAt("tests.rates_per_s"));
        QCOMPARE(allowedAt("tests[0].levels"),
                 std::string("a list of numbers, each a whole number from 1 to 65,536, in rising order"));
        QCOMPARE(allowedAt("workload.lengths.file"), std::string("the name of a file, or empty where hash names a log that is kept"));
        QCOMPARE(allowedAt("workload.lengths.prompt_tokens"),
                 std::string("a whole number from 1 to 2,000,000 tokens"));
        QCOMPARE(allowedAt("target.api"), std::string("\"chat\" or \"completions\""));
        QCOMPARE(allowedAt("slo[0].percentile"), std::string("a number above 0 and below 100"));
        QCOMPARE(allowedAt("card.accelerator_count"), std::string("a whole number from 0 to 1,000,000"));
        QCOMPARE(allowedAt("card.model"), std::string("text"));
        QCOMPARE(allowedAt("nothing.like[this"), std::string());
    }

    void fieldsOfTheOtherApi_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, Change change, const char* said) {
            QTest::newRow(name) << std::move(change) << QString::fromUtf8(said);
        };
        row("images", [](Matrix& m) { m.workload.extras = {{"images", {{"count", 1}}}}; },
            "workload.extras.images: needs target.api \"chat\"");
        row("sampling", [](Matrix& m) { m.workload.sampling = {{"top_logprobs", 2}}; },
            "workload.sampling.top_logprobs: needs target.api \"chat\"");
        row("variant", [](Matrix& m) { m.workload.extras = {{"variants", {{{"weight", 1}}, {{"chat_template_kwargs", {}}}}}}; },
            "workload.extras.variants[1].chat_template_kwargs: needs target.api \"chat\"");
        row("extra_body", [](Matrix& m) { m.target.extraBody = {{"reasoning_effort", "low"}}; },
            "target.extra_body.reasoning_effort: needs target.api \"chat\"");
        row("logprobs of a text", [](Matrix& m) { m.workload.extras = {{"logprobs", true}}; },
            "workload.extras.logprobs: must be a whole number with target.api \"completions\", is true");
        row("suffix", [](Matrix& m) {
            m.target.api = Api::Chat;
            m.workload.extras = {{"suffix", "x"}};
        }, "workload.extras.suffix: needs target.api \"completions\"");
        row("logprobs of a chat", [](Matrix& m) {
            m.target.api = Api::Chat;
            m.workload.sampling = {{"logprobs", 3}};
        }, "workload.sampling.logprobs: must be true or false with target.api \"chat\", where top_logprobs is the number, is 3");
        row("pair", [](Matrix& m) {
            m.target.api = Api::Chat;
            m.workload.extras = {{"tool_choice", "auto"}};
            m.pairedWith = PairedTarget{};
            m.pairedWith->target.api = Api::Completions;
        }, "workload.extras.tool_choice: needs paired_with.target.api \"chat\"");
        row("priority of a variant", [](Matrix& m) { m.workload.extras = {{"variants", {{{"priority", "high"}}}}}; },
            "workload.extras.variants[0].priority: must be a whole number");
    }

    /// Said before a run; a matrix that a run of earlier times is stored with can be read all the same.
    void fieldsOfTheOtherApi()
    {
        QFETCH(Change, change);
        QFETCH(QString, said);
        Matrix m = wholeMatrix();
        m.target.api = Api::Completions;
        QVERIFY(errors(m).isEmpty());
        change(m);
        const QStringList all = errors(m);
        QVERIFY2(all.size() == 1 && all.first().startsWith(said), qPrintable(all.join(u'\n')));
        QVERIFY(valueErrors(m).empty());
    }
};

QTEST_GUILESS_MAIN(ValidateTest)
#include "tst_validate.moc"
