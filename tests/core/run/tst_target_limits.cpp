// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "plan/plan.h"
#include "run/runner.h"
#include "store/store.h"
#include "test_server.h"

#include <QTemporaryDir>

#include <atomic>

#include <nlohmann/json.hpp>

using namespace tailmark;
using test::Reply;
using test::ServedRequest;
using test::TestServer;
using Json = nlohmann::json;

namespace {

Reply models(int context)
{
    return Reply::json(
        Json{{"data", {{{"id", "m"}, {"owned_by", "vllm"}, {"max_model_len", context}}}}}.dump());
}

Reply answer()
{
    return Reply::events(
        {R"json({"model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]})json",
         R"json({"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":8}})json", "[DONE]"});
}

/// A run of a few requests against a server, kept in a database of its own.
struct SmallRun
{
    QTemporaryDir folder;
    TestServer server;
    Matrix matrix;
    std::vector<std::string> warnings;
    std::vector<RequestRecord> records;

    SmallRun()
    {
        matrix.target.baseUrl = server.url("/v1");
        matrix.tests = {Test{}};
        matrix.tests[0].kind = TestKind::FixedShape;
        matrix.tests[0].promptTokens = 32;
        matrix.tests[0].outputTokens = 8;
        matrix.measurement.warmupS = 0;
        matrix.measurement.durationS = 20;
        matrix.measurement.maxRequests = 5;
        matrix.measurement.cooldownS = 0;
    }
    Result<RunReport> execute()
    {
        Result<Store> opened = Store::open((folder.path() + "/runs.sqlite").toStdString());
        if (!opened)
            return opened.error();
        Store store = std::move(opened).value();
        const Result<Plan> plan = expand(matrix);
        if (!plan)
            return plan.error();
        RunControl control;
        const Result<RunReport> report =
            executeRun(plan.value(), store, RunOptions{"test", ""}, control, [](const RunEvent&) {});
        if (!report)
            return report;
        const Result<StoredRun> stored = store.loadRun(report.value().run);
        if (stored)
            warnings = stored.value().warnings;
        if (stored && !stored.value().points.empty())
            if (const auto batch = store.loadRecords(report.value().run, PointIndex{0}))
                records = batch.value().records;
        return report;
    }
    bool warned(const std::string& part) const
    {
        return std::any_of(warnings.begin(), warnings.end(),
                           [&](const std::string& text) { return text.find(part) != std::string::npos; });
    }
};

} // namespace

/// What the target does not take gives way, or keeps the run from beginning.
class TestTargetLimits : public QObject
{
    Q_OBJECT

private slots:
    void aFieldRefusedByTheFirstRequestOfTheLoad()
    {
        SmallRun run;
        run.matrix.workload.sampling = {{"temperature", 0}, {"top_k", 3}, {"min_p", 0.1}};
        std::atomic<int> asked = 0;
        run.server.answerWith([&](const ServedRequest& request) {
            if (request.path() == "/v1/models")
                return models(4096);
            if (request.path() != "/v1/chat/completions")
                return Reply::json("[]", 404);
            const Json body = Json::parse(request.body);
            if (asked++ == 0) // the probe's
                return answer();
            for (const char* field : {"top_k", "min_p"})
                if (body.contains(field))
                    return Reply::json(
                        Json{{"error", {{"message", std::string("unknown field ") + field}}}}.dump(), 400);
            return answer();
        });
        const Result<RunReport> report = run.execute();
        QVERIFY2(report.ok(), report ? "" : report.error().line().c_str());
        QVERIFY(run.warned("top_k was refused and is left out"));
        QVERIFY(run.warned("min_p was refused and is left out"));
        // of the refused attempts nothing is kept, and what else was asked for is still sent
        QCOMPARE(run.records.size(), std::size_t(5));
        for (const RequestRecord& record : run.records)
            QCOMPARE(record.outcome, Outcome::Completed);
        QVERIFY(Json::parse(run.server.requests("/v1/chat/completions").back().body).contains("temperature"));
    }

    /// Once a request was taken, a refusal is a result like any other.
    void aLaterRefusalIsCounted()
    {
        SmallRun run;
        run.matrix.workload.sampling = {{"temperature", 0}, {"top_k", 3}};
        run.matrix.tests[0].outputTokens = 9; // tells the load's requests from those before it
        std::atomic<int> asked = 0;
        run.server.answerWith([&](const ServedRequest& request) {
            if (request.path() == "/v1/models")
                return models(4096);
            if (request.path() != "/v1/chat/completions")
                return Reply::json("[]", 404);
            if (Json::parse(request.body).value("max_tokens", 0) == 9 && ++asked == 2)
                return Reply::json(R"json({"error":{"message":"unknown field top_k"}})json", 400);
            return answer();
        });
        QVERIFY(run.execute().ok());
        QCOMPARE(run.records.size(), std::size_t(5));
        QCOMPARE(std::count_if(run.records.begin(), run.records.end(),
                               [](const RequestRecord& r) { return r.outcome == Outcome::ClientError; }),
                 std::ptrdiff_t(1));
        QVERIFY(!run.warned("top_k was refused"));
    }

    void aPlanBeyondTheContextIsStopped()
    {
        SmallRun run;
        run.matrix.tests[0].promptTokens = 4090;
        run.server.on("/v1/models", models(4096));
        run.server.on("/v1/chat/completions", answer());
        const Result<RunReport> report = run.execute();
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, ErrorCode::Unreachable);
        QVERIFY2(report.error().line().find(
                     "the longest planned request is 4106 tokens (4090 prompt + 8 output + 8 "
                     "of the chat template), the target's context is 4096") != std::string::npos,
                 report.error().line().c_str());
        QCOMPARE(run.server.requests("/v1/chat/completions").size(), std::size_t(1)); // the probe's own
    }

    void whatTheProbeFindsIsAWarningOfTheRun()
    {
        SmallRun run;
        run.server.on("/v1/models", models(4096));
        Reply other = answer();
        other.pieces[0].replace(other.pieces[0].find("\"m\""), 3, "\"x\"");
        run.server.on("/v1/chat/completions", other);
        QVERIFY(run.execute().ok());
        QVERIFY(run.warned("asked m, the answer is from x"));
    }
};

QTEST_GUILESS_MAIN(TestTargetLimits)
#include "tst_target_limits.moc"
