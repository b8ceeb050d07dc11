// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/verdict.h"

#include "analysis/steadiness.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "plan/evidence.h"
#include "plan/rate_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace tailmark {

namespace {

constexpr double kLeastSentShare = 0.98;
constexpr double kMostLagMs = 10;
constexpr double kMostLagShare = 0.05; ///< of the p50 of the headline latency
constexpr double kMostThreadCpu = 0.85;
constexpr double kMostProcessedShare = 0.05; ///< of the requests, with times taken at processing
constexpr double kMostUndecidedShare = 0.05;
constexpr double kMostCoalescedShare = 0.25;
constexpr double kMostPromptError = 0.02;
constexpr double kMostOutputError = 0.05;
constexpr double kChance = 0.025; ///< one side of a 95 % interval
constexpr double kPoissonSpread = 3; ///< standard deviations that a number of requests may be off by chance
constexpr std::ptrdiff_t kLeastUnreached = 3;
constexpr std::int64_t kAwayShareOfWindow = 20;

/// Of the requests intended in the window.
std::size_t attemptedIn(const PointSummary& summary)
{
    return static_cast<std::size_t>(std::accumulate(summary.outcomes.begin(), summary.outcomes.end(), std::uint64_t{0}));
}

std::string windowText(const PointSummary& summary)
{
    return figureText(summary.window.startS) + " s to " + figureText(summary.window.endS) + " s";
}

std::string failuresText(const PointSummary& summary)
{
    std::string text;
    for (int i = 0; i < kOutcomeCount; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        if (outcome != Outcome::Completed && summary.count(outcome) > 0)
            text += (text.empty() ? "" : ", ") + countText(summary.count(outcome)) + " " +
                    std::string(outcomeId(outcome));
    }
    return text;
}

/// A few requests one after another, which carry no high percentile and are not meant to.
bool isDiagnostic(TestKind kind)
{
    return kind == TestKind::FixedShape || kind == TestKind::ColdStart;
}

/// The percentile that the point has to carry.
double decidingPercentile(const Slo& slo, TestKind kind)
{
    if (isDiagnostic(kind))
        return 50;
    double percent = 0;
    for (const SloLimit& limit : slo)
        percent = std::max(percent, limit.percentile);
    return percent > 0 ? percent : 99;
}

std::size_t samplesNeeded(const Slo& slo, TestKind kind)
{
    if (isDiagnostic(kind))
        return 6; // the least that gives a median its interval
    // At least one value above the quantile, else it is nothing but the largest.
    return static_cast<std::size_t>(std::floor(100 / (100 - decidingPercentile(slo, kind)) + 1e-6));
}

/// The codes that addSampleReasons() gives.
bool isSampleReason(const std::string& code)
{
    return code == "no_success" || code == "too_few_samples" || code == "cut_off";
}

void addSampleReasons(Verdict& verdict, const Slo& slo, const PointSummary& summary)
{
    const auto add = [&](const char* code, std::string text) { verdict.reasons.push_back({code, std::move(text)}); };
    const std::size_t attempted = attemptedIn(summary);
    if (summary.count(Outcome::Completed) == 0) {
        add("no_success", attempted == 0
                              ? "No request was due inside the window (" + windowText(summary) + ")"
                              : "None of " + countText(attempted) +
                                    " requests in the window succeeded: " + failuresText(summary));
        return;
    }
    if (summary.rate(Metric::RequestsPerS).value_or(0) <= 0)
        add("too_few_samples", "No request ended inside the window (" + windowText(summary) +
                                   "): it is shorter than an answer, so that it has no rate");
    const std::size_t undecided = summary.slo.undecided;
    if (static_cast<double>(undecided) > kMostUndecidedShare * static_cast<double>(attempted))
        add("cut_off", countText(undecided) + " of " + countText(attempted) +
                           " requests were cut off while they had broken no limit: the slowest are missing from "
                           "every latency (a longer drain lets them end)");
    const TestKind kind = summary.point.kind;
    const std::size_t needed = samplesNeeded(slo, kind);
    if (summary.slo.denominator < needed)
        add("too_few_samples",
            countText(summary.slo.denominator) + " requests in the window; " +
                percentileText(decidingPercentile(slo, kind)) + " needs at least " + countText(needed) +
                (isDiagnostic(kind) ? "" : ", and " + countText(needed * 10) + " to be firm"));
}

/// How many requests an open loop's level means in the window.
double askedIn(const PointSummary& summary)
{
    return requestsBetween(summary.point, summary.window.startS, summary.window.endS);
}

/// A reason that leaves no doubt about the measurement itself, and a miss that chance cannot explain. Where no
/// request reached the target, or it refused every one as wrong, there was no load that it could have failed under.
bool failureStands(const Verdict& verdict, const Slo& slo, const PointSummary& summary)
{
    if (slo.empty() || summary.slo.met || !summary.slo.decided() ||
        summary.count(Outcome::ConnectFailed) + summary.count(Outcome::ClientError) == attemptedIn(summary))
        return false;
    bool fewSamples = false;
    for (const VerdictReason& r : verdict.reasons) {
        // Less than the level means, and yet too much.
        const bool stands = r.code == "not_steady"      ? verdict.rising
                            : r.code == "rate_off_plan" ? static_cast<double>(attemptedIn(summary)) < askedIn(summary)
                                                        : isSampleReason(r.code);
        if (!stands)
            return false;
        fewSamples |= r.code == "too_few_samples" || r.code == "cut_off";
    }
    if (verdict.rising && !fewSamples)
        return true;
    const std::size_t n = summary.slo.denominator;
    return std::any_of(
        summary.slo.constraints.begin(), summary.slo.constraints.end(), [&](const ConstraintResult& c) {
            const auto misses =
                static_cast<std::size_t>(std::llround((1 - c.withinShare) * static_cast<double>(n)));
            return c.measured && !c.met && misses > 0 && binomialTail(n, misses, 1 - c.limit.percentile / 100) < kChance;
        });
}

Verdict conclude(Verdict verdict, const Slo& slo, const PointSummary& summary)
{
    verdict.valid = verdict.reasons.empty();
    verdict.failureStands = !verdict.valid && failureStands(verdict, slo, summary);
    return verdict;
}

class Judge
{
public:
    Judge(const PointData& data, const PointSummary& summary) : m_data(data), m_summary(summary) {}

    Verdict verdict()
    {
        generatorBound();
        addSampleReasons(m_verdict, m_data.slo, m_summary);
        rateOffPlan();
        targetGone();
        if (m_summary.count(Outcome::Completed) == 0)
            return concluded();
        serverRestart();
        steadiness();
        cacheState();
        lengths();
        coalescing();
        return concluded();
    }

private:
    Verdict concluded() { return conclude(std::move(m_verdict), m_data.slo, m_summary); }

    void add(const char* code, std::string text) { m_verdict.reasons.push_back({code, std::move(text)}); }

    void generatorBound()
    {
        std::string text;
        const auto because = [&](const std::string& reason) { text += (text.empty() ? "" : "; ") + reason; };
        const double offered = m_summary.rate(Metric::OfferedPerS).value_or(0);
        const double sent = m_summary.rate(Metric::SentPerS).value_or(0);
        // What a target lets nobody send is no lack of sending, nor is one request that crosses the edge of
        // the window.
        const double refused = static_cast<double>(m_summary.count(Outcome::ConnectFailed) +
                                                   m_summary.count(Outcome::TimeoutConnect));
        const double missing = (offered - sent) * m_data.window.lengthS() - refused;
        if (missing > (1 - kLeastSentShare) * offered * m_data.window.lengthS() && missing > 1.5)
            because("sent " + figureText(sent) + " of " + figureText(offered) + " offered requests/s (" +
                    percentText(sent / offered) + "; at least 98 % are needed)");
        const Distribution* lag = m_summary.distribution(Metric::SendLag);
        const Distribution* headline = m_summary.distribution(m_data.headline);
        const double limit = std::max(kMostLagMs, headline ? kMostLagShare * headline->at(50)->value : 0);
        if (lag && lag->at(99)->value > limit)
            because("send lag p99 " + tooMuchText(lag->at(99)->value, limit) + " (at most " +
                    durationText(limit) + " may be believed)");
        if (const std::string late = stampedLate(limit); !late.empty())
            because(late);
        const std::optional<double> cpu = m_data.facts.busiestThreadCpu;
        if (cpu && *cpu > kMostThreadCpu)
            because("a generator thread used " + percentText(*cpu) + " of a core (at most " +
                    percentText(kMostThreadCpu) + " may be believed)");
        if (text.empty())
            return;
        if (const std::size_t full = heldByTheLimit(); full > 0 && 2.0 * static_cast<double>(full) > missing) {
            add("generator_bound", "limits.max_in_flight was the limit: " + countText(full) +
                                       " requests of the window found every place taken until the point ended; " + text);
            return;
        }
        if (const std::string condition = generatorCondition(); !condition.empty())
            because(condition);
        if (!m_data.facts.generatorNote.empty())
            because(m_data.facts.generatorNote);
        add("generator_bound", "The load generator was the limit: " + text);
    }

    /// Requests of the window that the matrix's own limit of requests under way kept back.
    std::size_t heldByTheLimit() const
    {
        return static_cast<std::size_t>(
            std::count_if(m_data.inWindow.begin(), m_data.inWindow.end(), [&](const RequestRecord* r) {
                return r->outcome == Outcome::NotSent && m_data.batch.errorOf(*r).starts_with("limits.max_in_flight");
            }));
    }

    /// Times that were taken when the data was processed carry the generator's own queue; those of the kernel
    /// do not.
    std::string stampedLate(double limitMs) const
    {
        const auto processed = static_cast<double>(m_summary.stamped(StampSource::Processing) +
                                                   m_summary.stamped(StampSource::Readiness));
        const double all = processed + static_cast<double>(m_summary.stamped(StampSource::Kernel));
        const std::optional<Distribution>& lag = m_summary.timerLagMs;
        if (!lag || processed <= kMostProcessedShare * all || lag->at(99)->value <= limitMs)
            return {};
        return percentText(processed / all) + " of the requests have times that were taken when the data " +
               "was processed, and a timer was served " + tooMuchText(lag->at(99)->value, limitMs) +
               " late (p99; at most " + durationText(limitMs) + " may be believed)";
    }

    /// A point of a curve stands at the load that was asked. Where chance (a few large bursts), the log or a fan-out made
    /// another one of it, its figures are those of another place.
    void rateOffPlan()
    {
        // Behind the last of a number of requests nothing more is due, while their answers are awaited.
        if (!m_data.point.openLoop() || m_data.facts.endedBy == "count")
            return;
        const double asked = askedIn(m_summary), offered = static_cast<double>(m_data.inWindow.size());
        if (asked <= 0 || std::abs(offered - asked) <= std::max(kMostRateError * asked, kPoissonSpread * std::sqrt(asked)))
            return;
        const double lengthS = m_data.window.lengthS();
        add("rate_off_plan", "Asked " + figureText(asked / lengthS) + " requests/s, offered " +
                                 figureText(offered / lengthS) + " (" + countText(m_data.inWindow.size()) +
                                 " requests in the window, " + (offered > asked ? "+" : "") +
                                 percentText(offered / asked - 1) +
                                 "): the point has another load than its level (a longer window brings the two together)");
    }

    /// A duration above a limit that does not read like the limit itself.
    static std::string tooMuchText(double ms, double limitMs)
    {
        const std::string text = durationText(ms);
        return text == durationText(limitMs) ? "just above " + text : text;
    }

    /// What else is known of the generator, beside the reason that it was the limit.
    std::string generatorCondition() const
    {
        std::string text;
        const auto tell = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
        if (m_summary.threadCpu.size() > 1)
            tell(countText(m_summary.threadCpu.size()) + " threads");
        if (m_summary.cpuCores)
            tell(figureText(*m_summary.cpuCores) + " cores used");
        if (m_summary.runDelayShare)
            tell("a thread waited for a core " + percentText(*m_summary.runDelayShare) + " of its time");
        if (m_summary.loopLagMs)
            tell("data waited " + durationText(m_summary.loopLagMs->at(99)->value) + " for it (p99)");
        if (m_summary.timerLagMs)
            tell("a timer was served " + durationText(m_summary.timerLagMs->at(99)->value) + " late (p99)");
        return text;
    }

    /// From some moment to the end of the point, or for a good part of it, no request found anybody there,
    /// while others were answered: the engine was gone, which says nothing of its capacity.
    void targetGone()
    {
        const auto reached = [](const RequestRecord* r) {
            return r->outcome != Outcome::ConnectFailed && r->outcome != Outcome::TimeoutConnect;
        };
        std::vector<const RequestRecord*> byTime;
        for (const RequestRecord* r : m_data.byStart) {
            if (isPresent(r->intended) && r->outcome != Outcome::Cancelled && r->outcome != Outcome::NotSent)
                byTime.push_back(r);
        }
        if (std::none_of(byTime.begin(), byTime.end(), reached) || std::all_of(byTime.begin(), byTime.end(), reached))
            return;
        const Nanoseconds leastAway((m_data.windowEnd - m_data.windowStart).count() / kAwayShareOfWindow);
        for (auto begin = byTime.begin(); begin != byTime.end();) {
            begin = std::find_if_not(begin, byTime.end(), reached);
            const auto end = std::find_if(begin, byTime.end(), reached);
            if (end - begin < kLeastUnreached || (*begin)->intended >= m_data.windowEnd) {
                begin = end;
                continue;
            }
            const Nanoseconds until = end == byTime.end() ? m_data.ended : (*end)->intended;
            if (until > m_data.windowStart &&
                (end == byTime.end() || until - (*begin)->intended >= leastAway)) {
                add("target_gone", "The target could not be reached from " +
                                       figureText(toSeconds((*begin)->intended)) + " s to " +
                                       figureText(toSeconds(until)) +
                                       " s: " + countText(static_cast<std::uint64_t>(end - begin)) +
                                       " requests in a row got no connection");
                return;
            }
            begin = end;
        }
    }

    void steadiness()
    {
        if (m_data.point.kind == TestKind::BurstRecovery || m_data.point.kind == TestKind::ColdStart ||
            !m_data.point.shape.empty())
            return; // meant to change
        std::string text;
        std::vector<double> latencies;
        for (const RequestRecord* r : m_data.inWindow) {
            if (r->outcome != Outcome::Completed)
                continue;
            if (const auto value = requestValue(m_data.headline, *r))
                latencies.push_back(*value);
        }
        if (const std::optional<Trend> trend = findTrend(latencies)) {
            m_verdict.rising = trend->rising;
            text = std::string("Not steady: the median ") +
                   std::string(metricInfo(m_data.headline).abbreviation) +
                   (trend->rising ? " rose from " : " fell from ") + durationText(trend->firstHalf) + " to " +
                   durationText(trend->secondHalf) + " from the first to the second half of the window" +
                   driftOfPrompts(trend->rising);
            if (!trend->rising && !m_summary.shortWarmup)
                text += " (a longer warm-up may help)";
        }
        if (const auto& early = m_summary.shortWarmup; early && (early->spoils || !text.empty())) {
            text += text.empty() ? "Not steady: " : "; ";
            text += shortWarmupText(*m_summary.steady, *early, m_data.window.startS,
                                    metricInfo(m_data.headline).abbreviation);
        }
        if (const std::optional<double> growth = backlogGrowth()) {
            m_verdict.rising = true;
            text += text.empty() ? "Not steady: " : "; ";
            text +=
                "the backlog grew by " + figureText(*growth) + " requests over the window, as " +
                figureText(m_summary.rate(Metric::OfferedPerS).value_or(0)) + "/s were offered and " +
                figureText(m_summary.rate(Metric::CompletedPerS).value_or(0)) +
                "/s completed: the load is past capacity, and every latency depends on the length of the run";
        }
        if (!text.empty())
            add("not_steady", text);
    }

    /// In words, where the prompts became longer or shorter together with the latency: then it is the draw of lengths, and
    /// no warm-up helps.
    std::string driftOfPrompts(bool rising) const
    {
        constexpr double kLeastRatio = 1.1;
        double sums[2] = {};
        std::size_t counts[2] = {};
        std::size_t completed = 0;
        for (const RequestRecord* r : m_data.inWindow)
            completed += r->outcome == Outcome::Completed;
        std::size_t i = 0;
        for (const RequestRecord* r : m_data.inWindow) {
            if (r->outcome != Outcome::Completed)
                continue;
            const bool second = i++ >= completed / 2;
            sums[second] += r->promptTokensPlanned;
            ++counts[second];
        }
        if (counts[0] == 0 || counts[1] == 0 || sums[0] <= 0 || sums[1] <= 0)
            return {};
        const double first = sums[0] / static_cast<double>(counts[0]), second = sums[1] / static_cast<double>(counts[1]);
        if ((rising ? second / first : first / second) < kLeastRatio)
            return {};
        return "; so did its prompts, from " + figureText(first) + " to " + figureText(second) +
               " tokens on average: a longer window evens out what was drawn";
    }

    /// Growth of an open loop's backlog over the window; absent where it, and that between the means of its
    /// halves, is within what a steady level shows by chance (four times the Poisson spread, and a tenth of
    /// the requests offered).
    std::optional<double> backlogGrowth() const
    {
        if (!m_data.point.openLoop() || m_data.windowEnd <= m_data.windowStart)
            return std::nullopt;
        const Nanoseconds middle = (m_data.windowStart + m_data.windowEnd) / 2;
        const double early = m_data.backlog.mean(m_data.windowStart, middle);
        const double late = m_data.backlog.mean(middle, m_data.windowEnd);
        const double growth = m_data.backlogGrowth();
        const double offered = static_cast<double>(m_data.inWindow.size());
        const double least = std::max({10.0, 0.1 * offered, 4 * std::sqrt((early + late) / 2)});
        return std::min(growth, 2 * (late - early)) > least ? std::optional(growth) : std::nullopt;
    }

    /// A claim that nobody can check is printed as unverified; one that was checked and failed spoils the
    /// point.
    void cacheState()
    {
        if (m_summary.cache.standing == CacheStanding::Contradicted)
            add("cache_unproven",
                "The stated state of the cache is not what was met: " + m_summary.cache.text);
    }

    void lengths()
    {
        std::string below, above;
        const auto compare = [&](const char* what, double asked, double measured, double most) {
            if (asked <= 0)
                return;
            const double error = measured / asked - 1;
            if (std::fabs(error) <= most)
                return;
            std::string& text = error < 0 ? below : above;
            text += (text.empty() ? "" : "; ") + std::string(what) + " tokens asked " + figureText(asked) +
                    ", measured " + figureText(measured) + " (" + (error > 0 ? "+" : "") +
                    percentText(error) + ")";
        };
        // A cold start's requests are the target's first: nothing could be asked of it that prompts are fitted by.
        if (m_data.point.kind != TestKind::ColdStart) {
            const RealisedLengths prompt =
                realised(&RequestRecord::promptTokensPlanned, &RequestRecord::promptTokens);
            compare("prompt", prompt.asked, prompt.measured, kMostPromptError);
        }
        if (m_data.point.output == OutputPolicy::Forced) {
            const RealisedLengths output =
                realised(&RequestRecord::outputTokensCap, &RequestRecord::outputTokens);
            if (output.measured < output.asked) // what is above the cap is the engine's own count
                compare("output", output.asked, output.measured, kMostOutputError);
        }
        if (!below.empty())
            add("length_shortfall", "The realised lengths are below the plan: mean " + below);
        if (!above.empty())
            add("length_excess", "The realised lengths are above the plan: mean " + above);
    }

    struct RealisedLengths
    {
        double asked = 0, measured = 0; ///< means over the successful requests that know both
    };
    RealisedLengths realised(std::int32_t RequestRecord::*asked, std::int32_t RequestRecord::*measured) const
    {
        RealisedLengths sum;
        double n = 0;
        for (const RequestRecord* r : m_data.inWindow) {
            if (r->outcome != Outcome::Completed || r->*asked == kUnknownCount ||
                r->*measured == kUnknownCount)
                continue;
            sum.asked += r->*asked;
            sum.measured += r->*measured;
            ++n;
        }
        return n > 0 ? RealisedLengths{sum.asked / n, sum.measured / n} : sum;
    }

    /// Away for a while, then cold: not the engine under this load.
    void serverRestart()
    {
        if (!m_summary.server)
            return;
        const auto& figures = m_summary.server->figures;
        if (std::any_of(figures.begin(), figures.end(),
                        [](const auto& item) { return item.second.restarted; }))
            add("server_restarted", "The engine was restarted inside the window: its counters began anew");
    }

    void coalescing()
    {
        if (m_summary.coalescedShare() <= kMostCoalescedShare)
            return;
        // Two events that this client itself left waiting are read together, whatever carried them.
        const Distribution* gap = m_summary.distribution(Metric::ChunkGap);
        const bool readLate =
            gap && m_summary.loopLagMs && m_summary.loopLagMs->at(99)->value > gap->at(50)->value / 2;
        add("coalesced_events",
            countText(m_summary.coalescedEvents) + " of " + countText(m_summary.tokenEvents) +
                " token events (" + percentText(m_summary.coalescedShare()) +
                ") came glued to the one before: " +
                (readLate ? "this client left data waiting for " +
                                durationText(m_summary.loopLagMs->at(99)->value) +
                                " (p99), or something between engine and client holds events back"
                          : "something between engine and client holds events back") +
                ", and gaps between them are not the engine's");
    }

    const PointData& m_data;
    const PointSummary& m_summary;
    Verdict m_verdict;
};

} // namespace

Verdict judgePoint(const PointData& data, const PointSummary& summary)
{
    return Judge(data, summary).verdict();
}

Verdict judgeUnder(const Slo& slo, const PointSummary& summary)
{
    // What the load generator was comes first, then the samples, then the rest.
    Verdict verdict;
    verdict.rising = summary.verdict.rising;
    const std::vector<VerdictReason>& before = summary.verdict.reasons;
    auto rest = before.begin();
    while (rest != before.end() && rest->code == "generator_bound")
        verdict.reasons.push_back(*rest++);
    addSampleReasons(verdict, slo, summary);
    std::copy_if(rest, before.end(), std::back_inserter(verdict.reasons),
                 [](const VerdictReason& r) { return !isSampleReason(r.code); });
    return conclude(std::move(verdict), slo, summary);
}

} // namespace tailmark
