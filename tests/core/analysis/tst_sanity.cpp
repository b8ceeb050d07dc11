// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sanity.h"

#include <cmath>

#include <QTest>

using namespace tailmark;

namespace {

double figureOf(const SanityFinding& finding, const char* id)
{
    for (const SanityFigure& figure : finding.figures) {
        if (figure.id == id)
            return figure.value;
    }
    return NAN;
}

const SanityFinding* topic(const std::vector<SanityFinding>& findings, const char* name)
{
    const auto it = std::find_if(findings.begin(), findings.end(), [&](const SanityFinding& f) { return f.topic == name; });
    return it == findings.end() ? nullptr : &*it;
}

bool holds(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

BoundFigures on(const char* accelerator, const char* model, double bytesPerParam = 0)
{
    BoundInput input;
    input.accelerator = accelerator;
    input.model = model;
    input.bytesPerParam = bytesPerParam;
    return boundFigures(input);
}

std::vector<SanityFinding> check(const char* claim, const BoundFigures& figures = {})
{
    return checkClaim(parseClaim(claim), figures);
}

} // namespace

class SanityTest : public QObject
{
    Q_OBJECT

private slots:
    void claimsAsPeopleWriteThem_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("understood");
        QTest::newRow("headline") << "8,400 tok/s at concurrency 96" << "8,400 tok/s, 96 in flight";
        QTest::newRow("per GPU") << "10,000 tokens per second per GPU" << "10,000 tok/s per device";
        QTest::newRow("in short") << "10k tok/s/GPU on 8 GPUs" << "10,000 tok/s per device, 8 devices";
        QTest::newRow("named devices") << "we see 45k tokens/sec on 8x H100" << "45,000 tok/s, 8 devices";
        QTest::newRow("per user") << "88 tok/s per user with 96 concurrent users" << "88 tok/s per user, 96 in flight";
        QTest::newRow("requests") << "20 requests/s, p99 latency 4 s" << "20 requests/s, p99 E2E 4 s";
        QTest::newRow("latency") << "5,600 tok/s @ batch 32, p99 TTFT 720 ms" << "5,600 tok/s, 32 in flight, p99 TTFT 720 ms";
        QTest::newRow("limit") << "5600 tok/s with TTFT p95 <= 2 s and TPOT p95 under 50 ms"
                               << "5,600 tok/s, p95 TTFT 2 s, p95 TPOT 50 ms";
        QTest::newRow("lengths") << "8400 tok/s, 64 streams, 1024 in / 128 out"
                                 << "8,400 tok/s, 64 in flight, 1,024 prompt tokens, 128 output tokens";
        QTest::newRow("output tokens") << "900 output tokens/s, 128 output tokens each"
                                       << "900 tok/s, 128 output tokens";
        QTest::newRow("million") << "1.2 million tokens/s" << "1,200,000 tok/s";
        QTest::newRow("nothing") << "the fastest engine of all" << "";
    }
    void claimsAsPeopleWriteThem()
    {
        QFETCH(QString, text);
        QFETCH(QString, understood);
        QCOMPARE(QString::fromStdString(claimText(parseClaim(text.toStdString()))), understood);
    }

    void perUserRateOfTheCurve()
    {
        // concurrency, tok/s and the rate of one user of the worked curve
        const std::tuple<const char*, double> rows[] = {{"1,900 tok/s at concurrency 8", 238},
                                                        {"5,600 tok/s at concurrency 32", 175},
                                                        {"7,800 tok/s at concurrency 64", 122},
                                                        {"8,400 tok/s at concurrency 96", 88}};
        for (const auto& [claim, rate] : rows) {
            const auto findings = check(claim);
            QCOMPARE(std::round(figureOf(*topic(findings, "per_user"), "output_tokens_per_s_user")), rate);
        }
        const auto findings = check("8,400 tok/s at concurrency 96");
        QVERIFY(std::fabs(figureOf(*topic(findings, "per_user"), "tpot_ms") - 11.43) < 0.01);
    }

    void aPeakWithoutALatencyIsRemarked()
    {
        const auto findings = check("8,400 tok/s at concurrency 96");
        QCOMPARE(topic(findings, "latency")->kind, SanityFinding::Kind::Missing);
        QVERIFY(holds(topic(findings, "latency")->text, "No latency is named"));
        QVERIFY(!topic(findings, "concurrency"));
        QVERIFY(topic(findings, "lengths"));
        QVERIFY(topic(findings, "hardware"));
        QVERIFY(!topic(check("8,400 tok/s", on("h100-sxm", "llama-3.1-8b")), "hardware"));
        QVERIFY(topic(check("10,000 tok/s"), "concurrency"));
        QVERIFY(!topic(check("5,600 tok/s at concurrency 32 with p99 TTFT 720 ms"), "latency"));
        QVERIFY(holds(topic(check("5,600 tok/s, median TTFT 200 ms"), "latency")->text, "ask for the p99"));
    }

    void fractionOfTheBoundAtThatBatch()
    {
        // 32 x 3,350 / 15.01 GB = 7,142 tok/s without context
        const auto findings = check("5,600 tok/s at concurrency 32", on("h100-sxm", "llama-3.1-8b", 2));
        const SanityFinding& bound = *topic(findings, "bound");
        QCOMPARE(bound.kind, SanityFinding::Kind::Derived);
        QVERIFY(std::fabs(figureOf(bound, "bound_tokens_per_s") - 7141.9) < 0.1);
        QVERIFY(std::fabs(figureOf(bound, "fraction") - 0.784) < 0.001);
        QVERIFY(holds(bound.text, "return little"));
    }

    void moreThanTheHardwareCanDo()
    {
        // One stream of 8B in BF16 on an H100: 223 tok/s
        const auto findings = check("400 tok/s at concurrency 1", on("h100-sxm", "llama-3.1-8b", 2));
        QCOMPARE(topic(findings, "bound")->kind, SanityFinding::Kind::Impossible);
        QVERIFY(std::any_of(findings.begin(), findings.end(), [](const SanityFinding& f) {
            return f.kind == SanityFinding::Kind::Condition && holds(f.text, "speculative decoding");
        }));
    }

    void tenThousandPerGpu()
    {
        // 10,000 x 15.01 GB / 3,350 GB/s = 44.8: 45 sequences at least, each at 222 tok/s
        const auto findings = check("10,000 tok/s per GPU", on("h100-sxm", "llama-3.1-8b", 2));
        const SanityFinding& batch = *topic(findings, "batch");
        QCOMPARE(figureOf(batch, "batch"), 45.0);
        QVERIFY(std::fabs(figureOf(batch, "output_tokens_per_s_user") - 222.2) < 0.1);
        QVERIFY(topic(findings, "latency"));
        // The compute bound of a 70B in BF16 is 989 / (2 x 69.5) = 7,115 tok/s
        const auto larger = check("10,000 tok/s per GPU", on("h100-sxm", "llama-3.1-70b", 2));
        QCOMPARE(topic(larger, "bound")->kind, SanityFinding::Kind::Impossible);
        QVERIFY(holds(topic(larger, "bound")->text, "7,115"));
        QVERIFY(holds(topic(larger, "memory")->text, "do not fit"));
    }

    void perDeviceTimesDevices()
    {
        const auto findings = check("1,000 tok/s per GPU on 8 GPUs, concurrency 64", on("h100-sxm", "llama-3.1-70b", 2));
        QCOMPARE(figureOf(*topic(findings, "total"), "output_tokens_per_s"), 8000.0);
        QCOMPARE(figureOf(*topic(findings, "per_user"), "output_tokens_per_s_user"), 125.0);
    }

    void littleAndTheTimeOfAnAnswer()
    {
        // 8,400 / 128 = 65.6 requests/s; 96 / 65.6 = 1.46 s
        const auto findings = check("8,400 tok/s at concurrency 96, 512 in / 128 out", on("h100-sxm", "llama-3.1-8b", 2));
        QVERIFY(std::fabs(figureOf(*topic(findings, "requests"), "requests_per_s") - 65.625) < 1e-9);
        QVERIFY(std::fabs(figureOf(*topic(findings, "little"), "e2e_ms") - 1462.9) < 0.1);
        // 512 tokens x 2 x 7.505e9 / 989e12 = 7.8 ms to read a prompt
        QVERIFY(std::fabs(figureOf(*topic(findings, "first_token"), "ttft_min_ms") - 7.77) < 0.01);
        // 65.6 x 512 + 8,400 tok/s of 65,889
        QVERIFY(std::fabs(figureOf(*topic(findings, "prefill"), "compute_share") - 42000 / 65889.4) < 1e-4);
    }

    void figuresOfDifferentTests()
    {
        const auto findings = check("8,400 tok/s at concurrency 96, 128 output tokens, median latency 400 ms");
        QCOMPARE(topic(findings, "little")->kind, SanityFinding::Kind::Condition);
        QVERIFY(holds(topic(findings, "little")->text, "not of one test"));
    }

    void closedLoop_data()
    {
        QTest::addColumn<double>("response");
        QTest::addColumn<double>("think");
        QTest::addColumn<QString>("rate");
        QTest::newRow("0.5 s") << 0.5 << 0.0 << "64 requests/s";
        QTest::newRow("2 s") << 2.0 << 0.0 << "16 requests/s";
        QTest::newRow("1 s of thinking") << 2.0 << 1.0 << "10.7 requests/s";
    }
    void closedLoop()
    {
        QFETCH(double, response);
        QFETCH(double, think);
        QFETCH(QString, rate);
        const SanityFinding finding = *closedLoopRate(32, response, think);
        QVERIFY2(holds(finding.text, qPrintable(rate)), finding.text.c_str());
        QCOMPARE(figureOf(finding, "requests_per_s"), 32 / (response + think));
        QVERIFY(!closedLoopRate(0, 1, 0));
        QVERIFY(!closedLoopRate(32, 0, 0));
    }

    void backlogOfAnOpenLoop()
    {
        const SanityFinding finding = *backlogGrowth(20, 16, 30);
        QCOMPARE(figureOf(finding, "backlog"), 120.0);
        QCOMPARE(figureOf(finding, "wait_s"), 7.5);
        QVERIFY2(holds(finding.text, "(20/s offered - 16/s completed) x 30 s = 120"), finding.text.c_str());
        QCOMPARE(figureOf(*backlogGrowth(16, 20, 30), "backlog"), 0.0);
        QVERIFY(!backlogGrowth(20, 0, 30));
    }

    void meansOfRatesMislead()
    {
        const std::vector<Round> before = {{5, 0.010}, {1, 0.020}};
        const SanityFinding rate = *wallClockRate(before);
        QVERIFY(std::fabs(figureOf(rate, "output_tokens_per_s") - 200) < 1e-9);
        QVERIFY(std::fabs(figureOf(rate, "mean_of_rates") - 275) < 1e-9);
        QVERIFY2(holds(rate.text, "37.5 % more"), rate.text.c_str());

        const std::vector<Round> after = {{5, 0.010}, {1, 0.014}};
        QVERIFY(std::fabs(figureOf(*wallClockRate(after), "output_tokens_per_s") - 250) < 1e-9);
        const SanityFinding gain = *throughputGained(before, after);
        QVERIFY2(holds(gain.text, "25 % more throughput (20 % less time"), gain.text.c_str());
        QVERIFY(!wallClockRate({}));
        QVERIFY(!wallClockRate(std::vector<Round>{{5, 0}}));
    }
};

QTEST_GUILESS_MAIN(SanityTest)
#include "tst_sanity.moc"
