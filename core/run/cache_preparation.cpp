// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/cache_preparation.h"

#include "plan/prefix_group.h"
#include "target/address.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tailmark {

namespace {

constexpr auto kPoll = std::chrono::milliseconds(20);
/// Engines that reset only while idle may still be ending what the point before cancelled.
constexpr auto kResetEvery = std::chrono::milliseconds(250);
constexpr int kResetTries = 12;
constexpr int kPrimingConcurrency = 8;
constexpr double kPrimingLimitS = 300;
constexpr std::string_view kSlot = "$slot";

void addTo(std::string& made, const std::string& what)
{
    if (!what.empty())
        made += (made.empty() ? "" : "; ") + what;
}

} // namespace

CachePreparation::CachePreparation(HttpClient& http, const Matrix& matrix, const EngineProfile& profile,
                                   const BodyOptions& body, int slots)
    : m_http(http), m_matrix(matrix), m_profile(profile), m_body(body), m_slots(slots),
      m_noReset(profile.cache.resetPath.empty() ||
                (slots < 1 && profile.cache.resetPath.find(kSlot) != std::string::npos))
{
}

Result<CacheFacts> CachePreparation::prepare(const PointPlan& point, LoadGenerator& generator,
                                             RunControl& control,
                                             const std::function<void(const RunEvent&)>& notify)
{
    CacheFacts facts;
    facts.absentIsZero = m_profile.cache.absentIsZero;
    if (m_body.fit.method != PromptMethod::Unchecked)
        facts.overheadTokens = m_body.fit.overheadTokens;
    const std::string bySalt = m_body.saltField.empty() ? "by the first words of each prompt"
                                                        : "by " + m_body.saltField;
    if (point.cache == CachePolicy::Cold) {
        addTo(facts.made, "kept apart from earlier points " + bySalt);
        if (!sharesPrefixes(point) && !m_body.bypassFields.empty())
            addTo(facts.made, "passed by with " + m_body.bypassFields.dump());
        else
            addTo(facts.made, reset(control));
    } else if (point.cache == CachePolicy::Warm) {
        addTo(facts.made, "kept apart from earlier runs " + bySalt);
        const Result<std::string> primed = prime(point, generator, control, notify);
        if (!primed)
            return primed.error();
        addTo(facts.made, primed.value());
    }
    return facts;
}

/// What was done, in words; empty: nothing could be.
std::string CachePreparation::reset(RunControl& control)
{
    if (m_noReset)
        return {};
    HttpLimits limits;
    limits.connectS = m_matrix.limits.connectTimeoutS;
    const std::string& path = m_profile.cache.resetPath;
    const std::size_t slot = path.find(kSlot);
    const int calls = slot == std::string::npos ? 1 : m_slots;
    for (int i = 0; i < calls; ++i) {
        std::string one = path;
        if (slot != std::string::npos)
            one.replace(slot, kSlot.size(), std::to_string(i));
        const std::string url = serverUrl(m_matrix.target, one);
        for (int left = kResetTries;; --left) {
            const Result<HttpReply> reply = m_profile.cache.resetMethod == "GET"
                                                ? m_http.get(url, limits)
                                                : m_http.postJson(url, "{}", limits);
            if (reply && reply.value().status / 100 == 2)
                break;
            const bool mayCome = reply && reply.value().status == 400;
            if (mayCome && left > 1 && !control.stop) {
                std::this_thread::sleep_for(kResetEvery);
                continue;
            }
            m_noReset = !mayCome;
            if (!control.stop)
                m_notes.push_back("the cache could not be reset by " + path + " (" +
                                  (reply ? "HTTP " + std::to_string(reply.value().status)
                                         : reply.error().message) +
                                  (m_profile.cache.resetHint.empty() ? "" : "; it " + m_profile.cache.resetHint) +
                                  "): new prompts alone make it cold");
            return {};
        }
    }
    return "reset by " + path;
}

Result<std::string> CachePreparation::prime(const PointPlan& point, LoadGenerator& generator,
                                            RunControl& control,
                                            const std::function<void(const RunEvent&)>& notify)
{
    const auto source = makePrimingSource(m_matrix, point, m_body);
    const auto prefixes = static_cast<int>(source->count());
    if (prefixes == 0)
        return std::string("no prefix is shared, so that none was sent before");
    PointLoad load;
    load.source = source;
    load.concurrency = std::min(kPrimingConcurrency, prefixes);
    load.sendFor = fromSeconds(kPrimingLimitS);
    load.drain = fromSeconds(m_matrix.limits.totalTimeoutS);
    load.maxRequests = prefixes;
    if (Status status = generator.begin(load); !status)
        return status.error();
    int completed = 0;
    RecordBatch batch;
    int told = -1;
    for (bool stopped = false;;) {
        const bool over = generator.finished(); // asked before the records are taken
        batch.clear();
        generator.takeRecords(batch);
        completed += static_cast<int>(std::ranges::count_if(
            batch.records, [](const RequestRecord& r) { return r.outcome == Outcome::Completed; }));
        if (std::exchange(told, completed) != completed)
            notify(Preparation{"warming the cache with shared prefixes", completed, prefixes});
        if (over && batch.empty())
            break;
        if (!stopped && (control.stop || control.skipPoint)) {
            stopped = true;
            generator.stop();
        }
        if (!over)
            std::this_thread::sleep_for(kPoll);
    }
    if (completed < prefixes && !control.stop && !control.skipPoint)
        m_notes.push_back("of the " + std::to_string(prefixes) + " shared prefixes only " +
                          std::to_string(completed) + " could be sent to warm the cache");
    return std::to_string(completed) + " of " + std::to_string(prefixes) +
           " shared prefixes sent before the point";
}

} // namespace tailmark
