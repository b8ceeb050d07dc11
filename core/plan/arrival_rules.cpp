// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/arrival_rules.h"

#include "plan/json_visitors.h"
#include "plan/rate_curve.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

using Severity = Finding::Severity;
using keys::exactText;

class ArrivalRules
{
public:
    ArrivalRules(const Matrix& matrix, std::vector<Finding>& findings) : m_matrix(matrix), m_findings(findings) {}

    void errors()
    {
        std::string coldStart;
        forEachTest([&](const Test& test, const std::string& path) {
            switch (test.kind) {
            case TestKind::FixedShape:
                break;
            case TestKind::ConcurrencySweep:
                if (test.thinkTime == ThinkTime::Trace && !hasLog())
                    error(path + ".think_time", kNeedsLog);
                break;
            case TestKind::ArrivalSweep:
                recorded(test, path);
                shape(test, path);
                if (replaysByTime(test) && test.ratesPerS.size() > 1)
                    error(path + ".rates_per_s", "must be one rate, that of the log, where recorded.time_scale "
                                                 "says how fast it runs");
                break;
            case TestKind::BurstRecovery:
                recorded(test, path);
                if (replaysByTime(test))
                    error(path + ".recorded.time_scale", "must be 0 here: the phases have their own rates");
                break;
            case TestKind::ColdStart:
                if (!test.command.empty() && test.command.front().empty())
                    error(path + ".command[0]", "must be the name of a program");
                if (test.enabled && !coldStart.empty())
                    error(path + ".kind", "is a second cold start beside " + coldStart +
                                              "; only the first test of a run finds the target cold");
                if (test.enabled)
                    coldStart = path;
                break;
            }
        });
    }

    void remarks()
    {
        forEachTest([&](const Test& test, const std::string& path) {
            if (!test.enabled)
                return;
            if (test.kind == TestKind::ArrivalSweep && !test.shape.empty()) {
                const double mean = meanFactor(test.shape, m_matrix.measurement.durationS);
                if (std::abs(mean - 1) > 0.05)
                    remark(path + ".shape", "has a mean factor of " + exactText(std::round(mean * 1000) / 1000) +
                                                " over the window: a level's mean rate is its rate times that");
            }
            const Measurement& m = m_matrix.measurement;
            if (test.kind == TestKind::ArrivalSweep)
                spread(test, test.ratesPerS, m.untilStable ? std::max(m.durationS, m.maxDurationS) : m.durationS, path);
            if (test.kind == TestKind::BurstRecovery)
                spread(test, {test.baseRatePerS}, test.baselineS, path);
            if (test.kind == TestKind::ColdStart && test.command.empty())
                remark(path + ".command", "is empty: the target has to be started by hand while the run waits for "
                                          "it; one that is up already is not cold");
        });
    }

private:
    static constexpr const char* kNeedsLog =
        "needs the log that workload.lengths names: its kind must be \"trace\"";

    template <typename F> void forEachTest(F check) const
    {
        for (std::size_t i = 0; i < m_matrix.tests.size(); ++i)
            check(m_matrix.tests[i], keys::indexed("tests", i));
    }

    bool hasLog() const { return m_matrix.workload.lengths.kind == LengthsKind::Trace; }

    static bool replaysByTime(const Test& test)
    {
        return test.process == ArrivalProcess::Recorded && test.recorded.timeScale > 0;
    }

    void recorded(const Test& test, const std::string& path)
    {
        if (test.process != ArrivalProcess::Recorded)
            return;
        if (!hasLog())
            error(path + ".process", std::string("\"recorded\" ") + kNeedsLog);
        if (test.recorded.toS > 0 && test.recorded.toS <= test.recorded.fromS)
            error(path + ".recorded.to_s", "must be above from_s (" + exactText(test.recorded.fromS) +
                                               "), or 0 for the end of the log; is " +
                                               exactText(test.recorded.toS));
    }

    /// Bursts that are few and large: how many of them fall into a window is a matter of chance.
    void spread(const Test& test, const std::vector<double>& ratesPerS, double seconds, const std::string& path)
    {
        const bool hasCv = test.process == ArrivalProcess::Gamma || test.process == ArrivalProcess::Weibull;
        if (ratesPerS.empty() || (test.fanOut == 1 && (!hasCv || test.cv <= 1)))
            return;
        const auto at = [&](double rate) { return countSpread(test.process, test.cv, test.fanOut, rate * seconds); };
        const auto wide = std::count_if(ratesPerS.begin(), ratesPerS.end(),
                                        [&](double rate) { return at(rate) > kMostCountSpread; });
        if (wide == 0)
            return;
        const double rate = ratesPerS.front();
        remark(path + (test.fanOut > 1 ? ".fan_out" : ".cv"),
               "is " + exactText(test.fanOut > 1 ? test.fanOut : test.cv) + ": the number of requests at " +
                   exactText(rate) + "/s in " + exactText(seconds) + " s, " + exactText(std::round(rate * seconds)) +
                   ", has a standard deviation of " + exactText(std::round(100 * at(rate))) + " %" +
                   (ratesPerS.size() > 1 ? " (" + std::to_string(wide) + " of " + std::to_string(ratesPerS.size()) +
                                               " rates above " + exactText(100 * kMostCountSpread) + " %)"
                                         : std::string()) +
                   ", and a point that is offered more than " + exactText(100 * kMostRateError) +
                   " % off its rate is not believed; a longer window narrows it");
    }

    void shape(const Test& test, const std::string& path)
    {
        const std::vector<RateFactor>& shape = test.shape;
        for (std::size_t i = 1; i < shape.size(); ++i)
            if (shape[i].atS < shape[i - 1].atS)
                error(keys::indexed(path + ".shape", i) + ".at_s", "must not be below the one before it (" +
                                                                       exactText(shape[i - 1].atS) + "), is " +
                                                                       exactText(shape[i].atS));
        if (!shape.empty() &&
            std::all_of(shape.begin(), shape.end(), [](const RateFactor& f) { return f.factor == 0; }))
            error(path + ".shape", "must have a factor above 0");
    }

    void error(std::string path, std::string message)
    {
        m_findings.push_back({Severity::Error, std::move(path), std::move(message)});
    }
    void remark(std::string path, std::string message)
    {
        m_findings.push_back({Severity::Remark, std::move(path), std::move(message)});
    }

    const Matrix& m_matrix;
    std::vector<Finding>& m_findings;
};

} // namespace

std::vector<Finding> arrivalErrors(const Matrix& matrix)
{
    std::vector<Finding> findings;
    ArrivalRules(matrix, findings).errors();
    return findings;
}

std::vector<Finding> arrivalRemarks(const Matrix& matrix)
{
    std::vector<Finding> findings;
    ArrivalRules(matrix, findings).remarks();
    return findings;
}

} // namespace tailmark
