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
        QTest::newRow("named devices") << "we see 45k tokens/sec on 8x H100"
                                       << "45,000 tok/s, 8 devices, NVIDIA H100 80 GB SXM";
        QTest::newRow("one device") << "900 tok/s on A100" << "900 tok/s, NVIDIA A100 80 GB SXM";
        QTest::newRow("form of a device") << "900 tok/s on A100-80GB PCIe" << "900 tok/s, NVIDIA A100 80 GB PCIe";
        QTest::newRow("several") << "10,000 tok/s/H100 on 8 \u00d7 H100" << "10,000 tok/s per device, 8 devices, NVIDIA H100 80 GB SXM";
        QTest::newRow("glued") << "45k tok/s on 8xH200" << "45,000 tok/s, 8 devices, NVIDIA H200 141 GB SXM";
        QTest::newRow("wide digits") << "\uff18400 tok/s" << "8,400 tok/s";
        QTest::newRow("or more") << "8,400+ tok/s" << "8,400 tok/s";
        QTest::newRow("game card") << "120 tok/s, 1 user, RTX 4090" << "120 tok/s, 1 in flight, NVIDIA GeForce RTX 4090 24 GB";
        QTest::newRow("a rack") << "45k tok/s on GB200 NVL72" << "45,000 tok/s, NVIDIA GB200 186 GB (one GPU)";
        QTest::newRow("another of that name") << "900 tok/s on H100 NVL" << "900 tok/s";
        QTest::newRow("model") << "Llama-3.1-8B-Instruct on L40S: 2,000 tok/s at batch 32"
                               << "2,000 tok/s, 32 in flight, NVIDIA L40S 48 GB, Llama 3.1 8B";
        QTest::newRow("its other name") << "Llama 3.3 70B FP8, 900 tok/s"
                                        << "900 tok/s, Llama 3.1 and 3.3 70B, 1 byte per parameter";
        QTest::newRow("no such model") << "DeepSeek-R1-Distill-Llama-8B, 900 tok/s" << "900 tok/s";
        QTest::newRow("blanks") << "8 400 tokens/s, batch 96" << "8,400 tok/s, 96 in flight";
        QTest::newRow("thin blanks") << "1\u202f234\u2009567 tok/s" << "1,234,567 tok/s";
        QTest::newRow("points and a comma") << "8.400,5 tok/s" << "8,400 tok/s"; // to three digits at least
        QTest::newRow("blanks and a comma") << "8 400,5 tok/s" << "8,400 tok/s";
        QTest::newRow("apostrophes") << "8'400 tok/s" << "8,400 tok/s";
        QTest::newRow("points alone") << "1.234.567 tok/s" << "1,234,567 tok/s";
        QTest::newRow("exponent") << "1e3 tok/s" << "1,000 tok/s";
        QTest::newRow("two numbers") << "concurrency 8, 400 tok/s" << "400 tok/s, 8 in flight";
        QTest::newRow("other words first") << "8,400 tok/s, ISL 1024 OSL 128"
                                           << "8,400 tok/s, 1,024 prompt tokens, 128 output tokens";
        QTest::newRow("words behind") << "8,400 tok/s, 1024 input 128 output, 96 in flight 8 GPUs"
                                      << "8,400 tok/s, 96 in flight, 8 devices, 1,024 prompt tokens, 128 output tokens";
        QTest::newRow("words before") << "8,400 tok/s, input length 1024, output 128, 500 prompts"
                                      << "8,400 tok/s, 1,024 prompt tokens, 128 output tokens";
        QTest::newRow("latencies behind their numbers") << "8,400 tok/s, 250 ms TTFT, 20 ms TPOT p99, 2.5s mean latency"
                                                        << "8,400 tok/s, TTFT 250 ms, p99 TPOT 20 ms, E2E 2.5 s";
        QTest::newRow("latencies before them") << "p50 TTFT 250 ms median TPOT 20 ms, 8,400 tok/s"
                                               << "8,400 tok/s, p50 TTFT 250 ms, p50 TPOT 20 ms";
        QTest::newRow("no figure of a latency") << "low latency mode on 8 GPUs: 8,400 tok/s" << "8,400 tok/s, 8 devices";
        QTest::newRow("at a percentile") << "8,400 tok/s, TTFT at p99 of 250 ms" << "8,400 tok/s, p99 TTFT 250 ms";
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

    void whatIsNotCertainIsADoubt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("doubt");
        QTest::newRow("negative") << "-5 tok/s" << "-5 is below 0";
        QTest::newRow("zero") << "0 tok/s" << "throughput of 0: must be above 0";
        QTest::newRow("no concurrency") << "8,400 tok/s at concurrency 0" << "concurrency of 0: must be above 0";
        QTest::newRow("too large") << "1e999 tok/s" << "1e999 is out of range";
        QTest::newRow("groups of two") << "84,00 tok/s" << "84,00 is no number";
        QTest::newRow("decimal comma") << "8,4 tok/s" << "8,4 is no number";
        QTest::newRow("version") << "1.2.3 tok/s" << "1.2.3 is no number";
        QTest::newRow("point or group") << "8.400 tok/s" << "8.400 may be 8,400 or 8 and a fraction";
        QTest::newRow("one or two") << "batch 96 400 tok/s" << "96 400 may be one number or two";
        QTest::newRow("comma with a blank") << "8, 400 tok/s" << "8, 400 may be one number or two";
        QTest::newRow("range") << "8,400-9,000 tok/s" << "8,400-9,000 is a range";
        QTest::newRow("range in words") << "8 to 12 tok/s" << "8 to 12 is a range";
        QTest::newRow("dash") << "8\u201312 tok/s" << "8-12 is a range";
        QTest::newRow("two throughputs") << "1,900 tok/s at first and 8,400 tok/s later"
                                         << "throughput is told twice, 1,900 and 8,400";
        QTest::newRow("of a user and of all") << "8,400 tok/s, 88 tok/s per user" << "once for each user";
        QTest::newRow("two concurrencies") << "8,400 tok/s, concurrency 8, 96 users" << "concurrency is told twice";
        QTest::newRow("two devices") << "8,400 tok/s on H100 and A100" << "two devices are named";
        QTest::newRow("two models") << "8,400 tok/s, Qwen3-8B or Llama 3.1 8B" << "two models are named";
        QTest::newRow("percentile") << "8,400 tok/s, p999 TTFT 2 s" << "p999 is no percentile";
        QTest::newRow("two in one") << "8,400 tok/s, p50/p99 TTFT 120/720 ms" << "what is said of TTFT is not understood";
        QTest::newRow("no unit") << "8,400 tok/s, TPOT < 20" << "what is said of TPOT is not understood";
        QTest::newRow("latency") << "8,400 tok/s, p99 TTFT 0 ms" << "latency of 0: must be above 0";
    }
    void whatIsNotCertainIsADoubt()
    {
        QFETCH(QString, text);
        QFETCH(QString, doubt);
        const Claim claim = parseClaim(text.toStdString());
        QVERIFY2(!claim.doubts.empty(), claimText(claim).c_str());
        QVERIFY2(holds(claim.doubts.front(), qPrintable(doubt)), claim.doubts.front().c_str());
    }

    void theTextNamesTheHardware()
    {
        const Claim claim = parseClaim("400 tok/s at concurrency 1, Llama 3.1 8B on H100");
        const auto findings = checkClaim(claim, claimFigures(claim, {}));
        QCOMPARE(topic(findings, "bound")->kind, SanityFinding::Kind::Impossible);
        QVERIFY(holds(topic(findings, "bound")->text, "H100 taken as the fastest of the 2 of that name"));
        BoundInput typed; // stands in the place of the text
        typed.accelerator = "b200-sxm";
        const BoundFigures figures = claimFigures(claim, typed);
        QCOMPARE(figures.accelerator, std::string("NVIDIA B200 180 GB SXM"));
        QCOMPARE(figures.model, std::string("Llama 3.1 8B"));
        const Claim device = parseClaim("400 tok/s on A100");
        QVERIFY(holds(topic(checkClaim(device, claimFigures(device, {})), "hardware")->text, "No model is stated"));
        const Claim narrow = parseClaim("Llama 3.1 8B FP8, 400 tok/s at concurrency 1 on H100 SXM");
        const auto of8 = checkClaim(narrow, claimFigures(narrow, {})); // 446 tok/s
        QCOMPARE(topic(of8, "bound")->kind, SanityFinding::Kind::Derived);
        QVERIFY(holds(topic(of8, "bound")->text, "1 byte per parameter, by the format in the text"));
    }

    void oneUserAloneHasABound()
    {
        const auto findings = check("300 tok/s per user", on("h100-sxm", "llama-3.1-8b", 2));
        const SanityFinding& bound = *topic(findings, "bound");
        QCOMPARE(bound.kind, SanityFinding::Kind::Impossible);
        QVERIFY(std::fabs(figureOf(bound, "bound_tokens_per_s") - 223.2) < 0.1);
        QCOMPARE(topic(check("100 tok/s per user", on("h100-sxm", "llama-3.1-8b", 2)), "bound")->kind,
                 SanityFinding::Kind::Derived);
    }

    void throughputAgainstRequestsAndLengths()
    {
        const auto findings = check("8,400 tok/s, 100 requests/s, 128 output tokens");
        const SanityFinding& total = *topic(findings, "total");
        QCOMPARE(total.kind, SanityFinding::Kind::Impossible);
        QVERIFY2(holds(total.text, "100 requests/s x 128 output tokens = 12,800 tok/s, not the 8,400"), total.text.c_str());
        QCOMPARE(topic(check("8,400 tok/s, 65 requests/s, 128 output tokens"), "total")->kind,
                 SanityFinding::Kind::Derived);
        QCOMPARE(figureOf(*topic(check("50 tok/s per user, 100 requests/s, 128 output tokens"), "users"), "concurrency"),
                 256.0);
    }

    void aTokenTimeBelowAStep()
    {
        // 15.01 GB / 3,350 GB/s = 4.48 ms
        const auto findings = check("10,000 tok/s at concurrency 64, 512 in / 128 out, median TPOT 2 ms", on("h100-sxm", "llama-3.1-8b", 2));
        const SanityFinding& tpot = *topic(findings, "tpot");
        QCOMPARE(tpot.kind, SanityFinding::Kind::Impossible);
        QVERIFY2(holds(tpot.text, "p50 TPOT 2 ms: a step takes at least 4.5") && holds(tpot.text, "of all 64 in flight"),
                 tpot.text.c_str());
        for (const SanityFinding& finding : findings)
            QVERIFY2(!holds(finding.text, "with a token every 2 ms"), finding.text.c_str()); // nothing is derived of it
        // 60,000 tok/s x 5 ms = 300 sequences, of which the compute bound of 65,889 tok/s lets a step take 4.55 ms
        QVERIFY(!topic(check("60,000 tok/s, median TPOT 5 ms", on("h100-sxm", "llama-3.1-8b", 2)), "tpot"));
        // 10,000 tok/s x 4.5 ms = 45 sequences at 512 tokens: 15.01 GB + 45 x 67 MB take 5.4 ms
        const auto together = check("10,000 tok/s, 512 in, mean TPOT 4.6 ms", on("h100-sxm", "llama-3.1-8b", 2));
        QCOMPARE(topic(together, "tpot")->kind, SanityFinding::Kind::Impossible);
        QVERIFY2(holds(topic(together, "tpot")->text, "46 sequences decoded at once (Little)"), topic(together, "tpot")->text.c_str());
        QCOMPARE(topic(check("8,400 tok/s at concurrency 96, mean TPOT 20 ms"), "tpot")->kind, SanityFinding::Kind::Condition);
    }

    void aFirstTokenBelowItsPrompt()
    {
        const auto bound = on("h100-sxm", "llama-3.1-8b", 2);
        const auto pass = check("2,000 tok/s at concurrency 8, 512 in / 128 out, median TTFT 1 ms", bound);
        QCOMPARE(topic(pass, "ttft")->kind, SanityFinding::Kind::Impossible);
        QVERIFY2(holds(topic(pass, "ttft")->text, "one pass over the weights alone takes at least 4.") &&
                     holds(topic(pass, "ttft")->text, "7.77 ms"),
                 topic(pass, "ttft")->text.c_str());
        const auto prompt = check("2,000 tok/s at concurrency 8, 512 in / 128 out, median TTFT 6 ms", bound);
        QVERIFY2(holds(topic(prompt, "ttft")->text, "unless the prefix cache"), topic(prompt, "ttft")->text.c_str());
        QVERIFY(!topic(check("2,000 tok/s at concurrency 8, 512 in / 128 out, p99 TTFT 30 ms", bound), "ttft"));
        QCOMPARE(topic(check("2,000 tok/s at concurrency 8, 512 in / 128 out, p99 E2E 400 ms", bound), "e2e")->kind,
                 SanityFinding::Kind::Impossible);
    }

    void aTailBelowTheMean()
    {
        // 64 / 50 = 1.28 s; (1.28 - 0.99 x 1) / 0.01 = 29 s
        const auto findings = check("10,000 tok/s at concurrency 64, 200 output tokens, p99 E2E 1 s");
        const SanityFinding& little = *topic(findings, "little");
        QCOMPARE(little.kind, SanityFinding::Kind::Condition);
        QVERIFY2(holds(little.text, "above the claimed p99 E2E 1 s: only if the slowest 1 % take 29 s or more"),
                 little.text.c_str());
        QCOMPARE(topic(check("10,000 tok/s at concurrency 64, 200 output tokens, p99 E2E 2 s"), "little")->kind,
                 SanityFinding::Kind::Derived);
    }

    void percentilesAreInOrder()
    {
        QCOMPARE(topic(check("900 tok/s, median TTFT 1 s, p99 TTFT 500 ms"), "order")->kind, SanityFinding::Kind::Impossible);
        QCOMPARE(topic(check("900 tok/s, p99 TTFT 2 s, p99 E2E 1 s"), "order")->kind, SanityFinding::Kind::Impossible);
        QVERIFY(!topic(check("900 tok/s, median TTFT 100 ms, p99 TTFT 500 ms, p99 E2E 1 s"), "order"));
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
        QVERIFY(!closedLoopRate(INFINITY, 1, 0));
        QVERIFY(!backlogGrowth(20, 16, INFINITY));
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
