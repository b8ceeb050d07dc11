// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt.h"

#include "plan/prefix_group.h"
#include "record/request_record.h"
#include "schedule/arrivals.h"
#include "workload/file_prompt_requests.h"
#include "workload/log_times.h"
#include "workload/prompt_writer.h"
#include "workload/request_table.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tailmark {

namespace {

/// Which of the shared prefixes earlier requests of the point have sent, so that a request can find its own
/// in a cache.
class SeenPrefixes
{
public:
    explicit SeenPrefixes(const PointPlan& point) : m_point(point)
    {
        if (point.cache == CachePolicy::Warm)
            return;
        for (const PrefixGroup& group : prefixGroups(point))
            m_firstOf.emplace(group.number, kNotSeen);
        std::size_t left = m_firstOf.size();
        for (std::uint32_t i = 0; i < kSearched && left > 0; ++i) {
            const auto group = prefixGroup(point, i);
            const auto first = group ? m_firstOf.find(group->number) : m_firstOf.end();
            if (first != m_firstOf.end() && first->second == kNotSeen) {
                first->second = i;
                --left;
            }
        }
    }
    /// Tokens of the prompt that were sent before; `drawnFor`: the request, or its session.
    std::int32_t tokens(std::uint32_t drawnFor, std::int32_t promptTokens) const
    {
        const auto group = prefixGroup(m_point, drawnFor);
        if (!group)
            return 0;
        const auto first = m_firstOf.find(group->number);
        return first != m_firstOf.end() && first->second >= drawnFor ? 0 : std::min(promptTokens, group->tokens);
    }

private:
    static constexpr std::uint32_t kNotSeen = ~0u;
    /// Groups that come up later than this are rare enough to be left out of the plan.
    static constexpr std::uint32_t kSearched = 1 << 20;

    const PointPlan& m_point;
    std::unordered_map<std::uint64_t, std::uint32_t>
        m_firstOf; ///< per group; empty: all were sent before the point
};

class PointRequests final : public RequestSource
{
public:
    PointRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                  std::shared_ptr<const LengthSource> lengths, std::shared_ptr<const RequestTable> table,
                  RecordedTimes times, std::vector<Arrival> arrivals)
        : m_point(point), m_fit(options.fit), m_chat(matrix.target.api == Api::Chat), m_lengths(std::move(lengths)), m_table(std::move(table)),
          m_seen(m_point), m_times(std::move(times)), m_arrivals(std::move(arrivals)),
          m_writer(matrix, point, options)
    {
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_arrivals.size()); }

    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest request;
        const LengthPair lengths = lengthsOf(index);
        request.promptTokens = lengths.promptTokens;
        request.promptTokensClient = m_fit.clientTokens(lengths.promptTokens).value_or(kUnknownCount);
        request.outputTokens = lengths.outputTokens * m_writer.choices();
        if (m_point.openLoop()) {
            request.intended = m_arrivals[index].intended;
            request.phase = m_arrivals[index].phase;
        } else {
            request.thinkTime = pauseBefore(index);
        }
        addSharing(index, request);
        return request;
    }

    RequestChain chain(std::uint32_t number) const override
    {
        return m_table ? m_table->chain(number) : RequestSource::chain(number);
    }

    void writeBody(std::uint32_t index, std::string& body) const override
    {
        if (m_table)
            m_writer.writeRow(index, *m_table, placeOf(index), body);
        else
            m_writer.writeRequest(index, lengthsOf(index), body);
    }

private:
    LengthPair lengthsOf(std::uint32_t index) const
    {
        if (m_table)
            return m_table->row(placeOf(index).row).lengths;
        if (!replaysArrivals())
            return m_lengths->draw(m_point.seeds.lengths, index);
        const std::vector<LengthPair>& rows = m_lengths->parts().front().pairs;
        return rows[m_arrivals[index].row];
    }

    bool replaysArrivals() const { return m_point.openLoop() && replaysLog(m_point); }

    /// In the table: in its order, or with its arrival where those of the log are replayed.
    RequestTable::Place placeOf(std::uint32_t index) const
    {
        return replaysArrivals() ? RequestTable::Place{m_arrivals[index].lap, m_arrivals[index].row}
                                 : m_table->placeOf(index);
    }

    /// Of requests that arrive together from one row, all but the first find what the first has.
    bool repeatsRow(std::uint32_t index) const
    {
        return replaysArrivals() && index > 0 && m_arrivals[index - 1].row == m_arrivals[index].row &&
               m_arrivals[index - 1].lap == m_arrivals[index].lap;
    }

    /// To the stated mean, as pauses that are drawn are.
    Nanoseconds stretched(Nanoseconds pause) const
    {
        if (m_point.thinkTimeS <= 0 || m_times.meanThinkTimeS <= 0)
            return pause;
        return fromSeconds(toSeconds(pause) * (m_point.thinkTimeS / m_times.meanThinkTimeS));
    }

    Nanoseconds pauseBefore(std::uint32_t index) const
    {
        if (m_table && m_point.thinkTime == ThinkTime::Trace)
            return stretched(m_table->recordedPause(m_table->row(placeOf(index).row)));
        // The first request of a worker is any session's first turn: the driver knows it, the number does
        // not.
        const bool inSessions = m_table && m_table->sessions() > 0;
        return thinkTime(
            m_point, inSessions ? index + static_cast<std::uint32_t>(m_point.concurrency) : index, &m_times);
    }

    void addSharing(std::uint32_t index, PlannedRequest& request) const
    {
        if (!sharesPrefixes(m_point))
            return;
        if (!m_table) {
            request.cachedTokens = m_seen.tokens(index, request.promptTokens);
            return;
        }
        const RequestTable::Place place = placeOf(index);
        const RequestTable::Row& row = m_table->row(place.row);
        request.cachedTokens = repeatsRow(index) ? m_table->tokensInBlocks(row) : row.cachedTokens;
        if (m_table->sessions() == 0)
            return;
        const std::uint32_t session = m_table->sessionOf(place);
        request.session = static_cast<std::int32_t>(session);
        request.turn = row.turn;
        // In a chat no more of the shared prefix than the first question holds.
        const std::int32_t room =
            m_chat ? m_table->row(row.text).lengths.promptTokens : request.promptTokens;
        request.cachedTokens = std::max(row.cachedTokens, m_seen.tokens(session, std::min(room, request.promptTokens)));
    }

    PointPlan m_point;
    PromptFit m_fit;
    bool m_chat;
    std::shared_ptr<const LengthSource> m_lengths;
    std::shared_ptr<const RequestTable> m_table; ///< null: every request is drawn for itself
    SeenPrefixes m_seen;
    RecordedTimes m_times;
    std::vector<Arrival> m_arrivals;
    PromptWriter m_writer;
};

/// The groups that a point's requests pick: where the schedule is known without a log, those that they do pick.
std::vector<PrefixGroup> groupsOf(const PointPlan& point)
{
    std::vector<PrefixGroup> groups = prefixGroups(point);
    if (!point.openLoop() || replaysLog(point) || groups.empty())
        return groups;
    const auto requests = static_cast<std::uint32_t>(makeArrivals(point).size());
    std::set<std::uint64_t> picked;
    for (std::uint32_t i = 0; i < requests; ++i)
        if (const auto group = prefixGroup(point, i))
            picked.insert(group->number);
    std::erase_if(groups, [&](const PrefixGroup& group) { return !picked.contains(group.number); });
    return groups;
}

class PrimingRequests final : public RequestSource
{
public:
    PrimingRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options)
        : m_groups(groupsOf(point)), m_overheadTokens(options.fit.overheadTokens),
          m_writer(matrix, point, options)
    {
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_groups.size()); }

    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest request;
        request.promptTokens = m_groups[index].tokens + m_overheadTokens;
        request.outputTokens = 1;
        return request;
    }

    void writeBody(std::uint32_t index, std::string& body) const override
    {
        m_writer.writePrefix(m_groups[index], body);
    }

private:
    std::vector<PrefixGroup> m_groups;
    int m_overheadTokens;
    PromptWriter m_writer;
};

} // namespace

Result<std::shared_ptr<const RequestSource>> makeRequestSource(const Matrix& matrix, const PointPlan& point,
                                                               const BodyOptions& options,
                                                               std::shared_ptr<const LengthSource> lengths,
                                                               std::shared_ptr<const Trace> log)
{
    if (Status status = RequestBody::checkFiles(matrix); !status)
        return status.error();
    if (!lengths) {
        Result<std::shared_ptr<const LengthSource>> made = makeLengthSource(point.lengths);
        if (!made)
            return made.error();
        lengths = std::move(made).value();
    }
    if (lengths->prompts())
        return makeFilePromptSource(matrix, point, options, std::move(lengths));
    std::shared_ptr<const RequestTable> table;
    RecordedTimes times;
    const bool inTable = RequestTable::isNeeded(point);
    if (inTable || replaysLog(point)) {
        const bool fromLog = replaysLog(point) || point.prefix.kind == PrefixKind::Trace ||
                             point.sessions.kind == SessionsKind::Trace;
        if (!log && fromLog) {
            Result<Trace> read = readTrace(point.lengths);
            if (!read)
                return read.error();
            log = std::make_shared<const Trace>(std::move(read).value());
        }
        if (replaysLog(point)) {
            times = timesOf(*log);
            if (Status status = checkLog(point, &times, point.lengths.file); !status)
                return status.error();
        }
    }
    std::vector<Arrival> arrivals;
    if (point.openLoop())
        arrivals = makeArrivals(point, &times);
    if (inTable) {
        const std::uint32_t firstRow = replaysLog(point) && !arrivals.empty() ? arrivals.front().row : 0;
        Result<std::shared_ptr<const RequestTable>> made =
            RequestTable::make(point, *lengths, std::move(log), firstRow);
        if (!made)
            return made.error();
        table = std::move(made).value();
    }
    return std::shared_ptr<const RequestSource>(std::make_shared<PointRequests>(
        matrix, point, options, std::move(lengths), std::move(table), std::move(times), std::move(arrivals)));
}

bool replaysLog(const PointPlan& point)
{
    return point.openLoop() ? point.process == ArrivalProcess::Recorded : point.thinkTime == ThinkTime::Trace;
}

std::shared_ptr<const RequestSource> makePrimingSource(const Matrix& matrix, const PointPlan& point,
                                                       const BodyOptions& options)
{
    return std::make_shared<PrimingRequests>(matrix, point, options);
}

} // namespace tailmark
