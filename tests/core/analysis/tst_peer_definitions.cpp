// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/peer_definitions.h"
#include "record_builder.h"

#include <cmath>

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

/// A role event at 50 ms, reasoning from 100 ms, the answer from 300 ms; 21 tokens in eleven chunks, done at 1,100 ms and
/// the stream closed at 1,200.
RecordBatch oneStream()
{
    RecordBuilder b;
    Times chunks;
    for (int i = 0; i <= 10; ++i)
        chunks.push_back(100 + 100 * i);
    RequestRecord& r = b.completed(0, chunks, 21);
    r.firstEvent = fromMs(50);
    r.firstAnswerToken = fromMs(300);
    r.closed = fromMs(1200);
    return std::move(b.batch);
}

PeerFigures of(const RecordBatch& batch, std::string_view tool)
{
    for (const PeerFigures& f : asOthersCount(batch.records)) {
        if (f.tool == tool)
            return f;
    }
    return {};
}

bool isNear(const std::optional<double>& value, double expected)
{
    return value && std::fabs(*value - expected) < 1e-9;
}

} // namespace

class PeerDefinitionsTest : public QObject
{
    Q_OBJECT

private slots:
    void oneStreamByEachDefinition()
    {
        const RecordBatch batch = oneStream();
        const PeerFigures vllm = of(batch, "vllm");
        QCOMPARE(vllm.ttft->mean, 50.0);
        QVERIFY(isNear(vllm.tpot->mean, 1050 / 20.0));
        QVERIFY(isNear(vllm.itlMeanMs, 100));
        QCOMPARE(vllm.e2e->mean, 1100.0);
        const PeerFigures sglang = of(batch, "sglang");
        QCOMPARE(sglang.ttft->mean, 100.0);
        QVERIFY(isNear(sglang.tpot->mean, 1000 / 20.0));
        QCOMPARE(sglang.e2e->mean, 1200.0);
        const PeerFigures guidellm = of(batch, "guidellm");
        QVERIFY(isNear(guidellm.tpot->mean, 1100 / 21.0));
        QVERIFY(isNear(guidellm.itlMeanMs, 50));
        const PeerFigures aiperf = of(batch, "aiperf");
        QVERIFY(!aiperf.tpot);
        QVERIFY(isNear(aiperf.itlMeanMs, 50));
        const PeerFigures inferencePerf = of(batch, "inference-perf");
        QCOMPARE(inferencePerf.ttft->mean, 300.0);
        const PeerFigures llmperf = of(batch, "llmperf");
        QVERIFY(isNear(llmperf.itlMeanMs, 1200 / 21.0));
        QCOMPARE(guidellm.e2e->mean, 1200.0);
        QCOMPARE(aiperf.e2e->mean, 1100.0);
        QVERIFY(peerDefinition("llmperf").find("E2E / tokens") != std::string_view::npos);
        QVERIFY(peerDefinition("other").empty());
        QVERIFY(isNear(vllm.outputTokensPerS, 21 / 1.1));
    }

    void percentilesByTheRuleOfEachTool_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<double>("p50");
        QTest::addColumn<double>("p99");
        // 100, 200, 300 and 400 ms: between the values at 1.5 and at 2.97, else ranks 2 and 4
        for (const char* tool : {"vllm", "sglang", "aiperf", "inference-perf", "llmperf"})
            QTest::newRow(tool) << tool << 250.0 << 397.0;
        QTest::newRow("guidellm") << "guidellm" << 200.0 << 400.0;
    }
    void percentilesByTheRuleOfEachTool()
    {
        QFETCH(QString, tool);
        QFETCH(double, p50);
        QFETCH(double, p99);
        RecordBuilder b;
        for (const double first : {300, 100, 400, 200}) {
            RequestRecord& r = b.completed(0, Times{first, 500}, 2);
            r.firstAnswerToken = r.firstToken;
        }
        const PeerFigures f = of(b.batch, tool.toStdString());
        QVERIFY(isNear(f.ttft->p50, p50));
        QVERIFY2(isNear(f.ttft->p99, p99), qPrintable(QString::number(f.ttft->p99)));
        const std::string text(peerDefinition(tool.toStdString()));
        QVERIFY2(text.find(p50 == 250 ? "percentiles are interpolated" : "percentiles by nearest rank") !=
                     std::string::npos,
                 text.c_str());
    }

    void weightsDiffer()
    {
        // 2 tokens 100 ms apart and 11 tokens 10 ms apart: 18.2 ms by token, 55 ms by request.
        RecordBuilder b;
        b.completed(0, Times{100, 200}, 2);
        Times eleven;
        for (int i = 0; i <= 10; ++i)
            eleven.push_back(100 + 10 * i);
        b.completed(0, eleven, 11);
        QVERIFY(isNear(of(b.batch, "guidellm").itlMeanMs, 200 / 11.0));
        QVERIFY(isNear(of(b.batch, "aiperf").itlMeanMs, 55));
    }

    void rampAndDrainAreInTheirThroughput()
    {
        RecordBuilder b;
        b.completed(0, Times{500, 1000}, 10);
        b.completed(9000, Times{500, 1000}, 10);
        QVERIFY(isNear(of(b.batch, "vllm").outputTokensPerS, 2));
    }

    void failuresAndUnknownCounts()
    {
        RecordBuilder b;
        b.failed(0, Outcome::ServerError, 5, 500);
        QVERIFY(asOthersCount(b.batch.records).empty());
        b.completed(0, Times{100, 200}, kUnknownCount);
        const PeerFigures f = of(b.batch, "vllm");
        QCOMPARE(f.ttft->mean, 100.0); // no event before the first token is known
        QVERIFY(!f.tpot);
        QVERIFY(!f.outputTokensPerS);
        QCOMPARE(asOthersCount(b.batch.records).size(), std::size_t(6));
    }
};

QTEST_GUILESS_MAIN(PeerDefinitionsTest)
#include "tst_peer_definitions.moc"
