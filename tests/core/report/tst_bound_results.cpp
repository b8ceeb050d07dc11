// SPDX-License-Identifier: GPL-3.0-or-later
// The bound of a run in the result file, the report and its chart.
#include "analysis/summarize.h"
#include "report/bound_results.h"
#include "report/report.h"
#include "result_fixture.h"

#include <cmath>

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tailmark;
using namespace tailmark::test;

namespace {

/// 500 tok/s at each of the levels 1, 2 and 4: the fixture's requests come every 100 ms, 50 tokens each.
RunResults resultsWith(const BoundInput& input)
{
    StoredFixture f = sweepFixture();
    f.run.plan.matrix.bound = input;
    f.run.plan.matrix.slo = {{"ttft_ms", 99, 1000}};
    const Slo slo = f.run.plan.matrix.slo;
    const std::vector<RecordBatch> batches = f.batches;
    return summarizeRun(f.run, slo,
                        [&](const StoredPoint& point) -> Result<std::shared_ptr<const RecordBatch>> {
                            return std::make_shared<const RecordBatch>(
                                batches[static_cast<std::size_t>(point.point.index.value)]);
                        })
        .value();
}

BoundInput named()
{
    BoundInput input;
    input.accelerator = "h100-sxm";
    input.model = "llama-3.1-8b";
    return input;
}

bool holds(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class BoundResultsTest : public QObject
{
    Q_OBJECT

private slots:
    void nothingIsSaidWhereNothingIsStated()
    {
        const RunResults results = resultsWith({});
        QVERIFY(boundJson(results).is_null());
        QVERIFY(boundSection(results).blocks.empty());
        QVERIFY(!holds(htmlReport(results), "Dash-dotted"));
    }

    void jsonHasInputsLevelsAndTheCurveOverTheBatch()
    {
        const nlohmann::ordered_json json = boundJson(resultsWith(named()));
        QVERIFY(json["inputs"]["bandwidth_gb_per_s"] == 3350.0);
        QVERIFY(json["inputs"]["kv_bytes_per_token"] == 131072.0);
        QVERIFY(json["inputs"]["experts"].is_null());
        QVERIFY(!json["assumptions"].empty());
        QCOMPARE(json["levels"].size(), std::size_t(3)); // at the last one nothing was answered
        const auto& level = json["levels"][1];
        QVERIFY(level["fraction"].get<double>() > 0.1);
        QVERIFY(level["standing"].is_string());
        QVERIFY(json["operating_points"][0]["load"]["value"] == 3.0);
        const auto& curve = json["curves"][0]["points"];
        QVERIFY(curve.size() >= 4);
        QVERIFY(curve[0]["batch"] == 1.0);
        QVERIFY(curve[1]["tokens_per_s"].get<double>() > curve[0]["tokens_per_s"].get<double>());
    }

    void reportSaysWhatTheFractionMeansAndDrawsTheBound()
    {
        const std::string html = htmlReport(resultsWith(named()));
        for (const char* part : {"Bandwidth bound", "of the bandwidth bound of", "2 bytes per parameter (BF16)",
                                 "Dash-dotted: the bound of the hardware"})
            QVERIFY2(holds(html, part), part);
        QVERIFY(holds(html, "Dash-dotted: the lower of the bandwidth and the compute bound at a context of 537 tokens"));
        // 5.9 sequences in flight at the first level: 5.9 x 1,500 / 15.4 GB = 574 tok/s, near the 500 that were measured
        BoundInput slow = named();
        slow.bandwidthGbPerS = 1500;
        const std::string shown = htmlReport(resultsWith(slow));
        QVERIFY(holds(shown, "bound-mark\"") && holds(shown, "of one level it lies beyond the chart"));
        QVERIFY(!holds(html, "bound-mark\""));
        // Twenty times faster: the bound lies beyond the chart, and the curve stays where it was.
        BoundInput fast = named();
        fast.bandwidthGbPerS = 100'000;
        QVERIFY(holds(htmlReport(resultsWith(fast)), "which lies beyond the chart"));
    }
};

QTEST_GUILESS_MAIN(BoundResultsTest)
#include "tst_bound_results.moc"
