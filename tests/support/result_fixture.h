// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record_builder.h"
#include "report/run_results.h"

#include <string>
#include <vector>

namespace tailmark::test {

/// Records of one concurrency level: 300 requests over 30 s (after 1 s of warm-up), the given time to first token,
/// 50 tokens each.
inline RecordBatch levelRecords(double ttftMs)
{
    RecordBuilder b;
    for (int i = 0; i < 300; ++i) {
        Times tokens;
        for (int t = 0; t < 50; ++t)
            tokens.push_back(ttftMs + 10 * t);
        RequestRecord& r = b.completed(1000 + 100 * i, tokens, 50, 1);
        r.promptTokensPlanned = r.promptTokens = 512;
        r.outputTokensCap = 50;
    }
    return std::move(b.batch);
}

/// A run as the store would have it: a concurrency sweep whose last level rejects all, with every text that can be hostile
/// being hostile.
struct StoredFixture
{
    StoredRun run;
    std::vector<RecordBatch> batches; ///< of each point
};

inline StoredFixture sweepFixture()
{
    StoredFixture f;
    Matrix& matrix = f.run.plan.matrix;
    matrix.name = "night <run> & co";
    matrix.target.headers = {{"X-Gateway-Token", "sk-very-secret-12345"}, {"X-Team", "blue"}};
    matrix.target.baseUrl = "http://127.0.0.1:8000/v1";
    Test test;
    test.name = "=sweep,\"a\"";
    test.levels = {1, 2, 4, 8};
    matrix.tests = {test};
    matrix.measurement.warmupS = 1;
    f.run.info.id = RunId{7};
    f.run.info.name = matrix.name;
    f.run.info.startedAt = "2026-01-31T12:00:00.000Z";
    f.run.info.finishedAt = "2026-01-31T12:05:00.000Z";
    f.run.info.state = RunState::Done;
    f.run.card.read("engine", "vllm");
    f.run.card.read("model", "<b>llama|8b</b>");
    f.run.card.type("flags.api_key", "sk-other-secret-6789");
    f.run.environment = {{"cpu", "a & b"}};
    f.run.warnings = {"clocks were changed"};

    const auto add = [&](int concurrency, RecordBatch batch) {
        StoredPoint point;
        point.point.index = PointIndex{static_cast<std::int32_t>(f.run.points.size())};
        point.point.test = test.name;
        point.point.concurrency = concurrency;
        point.point.load = {LoadAxis::Concurrency, static_cast<double>(concurrency)};
        point.point.warmupS = 1;
        point.point.durationS = 30;
        point.finished = true;
        point.facts.endedS = 32;
        point.facts.cpuCores = 0.25;
        point.facts.busiestThreadCpu = 0.2;
        f.run.points.push_back(point);
        f.run.plan.points.push_back(point.point);
        f.batches.push_back(std::move(batch));
    };
    add(1, levelRecords(100));
    add(2, levelRecords(400));
    add(4, levelRecords(1600));
    RecordBuilder rejecting;
    for (int i = 0; i < 300; ++i)
        rejecting.failed(1000 + 100 * i, Outcome::Rejected, 5, 429, "busy, \"try\" <later>\nplease");
    add(8, std::move(rejecting.batch));
    return f;
}

} // namespace tailmark::test
