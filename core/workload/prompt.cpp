// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt.h"

#include "base/rng.h"
#include "plan/prefix_group.h"
#include "record/request_record.h"
#include "schedule/arrivals.h"
#include "workload/corpus.h"
#include "workload/request_body.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace tailmark {

namespace {

/// What keeps a point's prompts apart from those that others left in the cache; empty: nothing does.
std::string saltOf(const PointPlan& point, const BodyOptions& options)
{
    switch (point.cache) {
    case CachePolicy::Cold:
        return options.runSalt + "-" + std::to_string(point.index.value);
    case CachePolicy::Warm:
        return options.runSalt;
    case CachePolicy::AsIs:
        break;
    }
    return {};
}

/// The request fields that make the stated state of the cache.
nlohmann::json cacheFields(const PointPlan& point, const BodyOptions& options)
{
    nlohmann::json fields = nlohmann::json::object();
    const std::string salt = saltOf(point, options);
    if (!options.saltField.empty() && !salt.empty())
        fields[options.saltField] = salt;
    // A stated sharing has to be had from the cache, so that it cannot be passed by.
    if (point.cache == CachePolicy::Cold && point.prefix.kind == PrefixKind::None)
        fields.update(options.bypassFields);
    return fields;
}

/// The salt as part of the words; 0 = it is not there.
std::uint64_t saltOfWords(const PointPlan& point, const BodyOptions& options)
{
    const std::string salt = saltOf(point, options);
    return options.saltField.empty() && !salt.empty() ? hashText(salt) : 0;
}

/// Writes the prompts of one point.
class PromptWriter
{
public:
    PromptWriter(const Matrix& matrix, const PointPlan& point, const BodyOptions& options)
        : m_point(point), m_fit(options.fit), m_corpus(deriveSeed(matrix.workload.seed, 1), options.fit.pieces),
          m_body(matrix, options, cacheFields(point, options)),
          m_salt(saltOfWords(point, options)),
          m_requestKey(deriveSeed(point.seeds.prompts, 0, 1)), m_groupKey(deriveSeed(matrix.workload.seed, 0, 2))
    {
    }

    /// Answers that each request asks for.
    int choices() const { return m_body.choices(); }

    void writeRequest(std::uint32_t index, LengthPair lengths, std::string& body) const
    {
        // One-to-one in the index, so that no two requests of a point begin with the same words.
        const std::uint64_t number = mixBits(m_requestKey + index);
        begin(body, number);
        std::size_t left = m_fit.piecesFor(lengths.promptTokens);
        if (const auto group = prefixGroup(m_point, index))
            left -= write(body, deriveSeed(m_groupKey, *group), std::min(left, prefixPieces()));
        write(body, number, left);
        m_body.end(body, lengths.outputTokens, number);
    }

    void writePrefix(std::uint64_t group, std::string& body) const
    {
        const std::uint64_t number = deriveSeed(m_groupKey, group);
        begin(body, number);
        write(body, number, prefixPieces());
        m_body.end(body, 1, number);
    }

private:
    void begin(std::string& body, std::uint64_t number) const
    {
        m_body.begin(body, number);
        m_corpus.appendFirst(body);
    }

    std::size_t prefixPieces() const
    {
        return static_cast<std::size_t>(std::lround(m_point.prefix.sharedTokens / m_fit.tokensPerPiece));
    }

    /// `count` pieces, of which the first are the number's own; how many.
    std::size_t write(std::string& body, std::uint64_t number, std::size_t count) const
    {
        const std::size_t own = std::min(count, Corpus::kPiecesOfNumber);
        m_corpus.appendNumber(body, m_salt ? mixBits(number ^ m_salt) : number, own);
        m_corpus.append(body, mixBits(number), count - own);
        return count;
    }

    const PointPlan m_point;
    const PromptFit m_fit;
    Corpus m_corpus;
    RequestBody m_body;
    std::uint64_t m_salt; ///< in the words; 0 = none there
    std::uint64_t m_requestKey;
    std::uint64_t m_groupKey; ///< of the run, not of the point: groups last over points
};

class PointRequests final : public RequestSource
{
public:
    PointRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                  std::shared_ptr<const LengthSource> lengths)
        : m_point(point), m_fit(options.fit), m_lengths(std::move(lengths)),
          m_arrivals(point.openLoop() ? makeArrivals(point) : std::vector<Arrival>()),
          m_writer(matrix, point, options)
    {
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_arrivals.size()); }

    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest request;
        const LengthPair lengths = m_lengths->draw(m_point.seeds.lengths, index);
        request.promptTokens = lengths.promptTokens;
        request.promptTokensClient = m_fit.clientTokens(lengths.promptTokens).value_or(kUnknownCount);
        request.outputTokens = lengths.outputTokens * m_writer.choices();
        if (m_point.openLoop()) {
            request.intended = m_arrivals[index].intended;
            request.phase = m_arrivals[index].phase;
        } else {
            request.thinkTime = thinkTime(m_point, index);
        }
        return request;
    }

    void writeBody(std::uint32_t index, std::string& body) const override
    {
        m_writer.writeRequest(index, m_lengths->draw(m_point.seeds.lengths, index), body);
    }

private:
    PointPlan m_point;
    PromptFit m_fit;
    std::shared_ptr<const LengthSource> m_lengths;
    std::vector<Arrival> m_arrivals;
    PromptWriter m_writer;
};

/// The groups that a point's requests pick: of an open loop those that they do pick.
std::vector<std::uint64_t> groupsOf(const PointPlan& point)
{
    std::vector<std::uint64_t> groups;
    if (point.prefix.kind != PrefixKind::Shared || point.prefix.share <= 0 || point.prefix.sharedTokens <= 0)
        return groups;
    if (point.openLoop()) {
        const auto requests = static_cast<std::uint32_t>(makeArrivals(point).size());
        std::set<std::uint64_t> picked;
        for (std::uint32_t i = 0; i < requests; ++i)
            if (const auto group = prefixGroup(point, i))
                picked.insert(*group);
        groups.assign(picked.begin(), picked.end());
    } else {
        groups.resize(static_cast<std::size_t>(point.prefix.groups));
        std::iota(groups.begin(), groups.end(), 0);
    }
    return groups;
}

class PrimingRequests final : public RequestSource
{
public:
    PrimingRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options)
        : m_groups(groupsOf(point)), m_promptTokens(point.prefix.sharedTokens + options.fit.overheadTokens),
          m_writer(matrix, point, options)
    {
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_groups.size()); }

    PlannedRequest planned(std::uint32_t) const override
    {
        PlannedRequest request;
        request.promptTokens = m_promptTokens;
        request.outputTokens = 1;
        return request;
    }

    void writeBody(std::uint32_t index, std::string& body) const override
    {
        m_writer.writePrefix(m_groups[index], body);
    }

private:
    std::vector<std::uint64_t> m_groups;
    int m_promptTokens;
    PromptWriter m_writer;
};

} // namespace

Result<std::shared_ptr<const RequestSource>> makeRequestSource(const Matrix& matrix, const PointPlan& point,
                                                               const BodyOptions& options,
                                                               std::shared_ptr<const LengthSource> lengths)
{
    if (Status status = RequestBody::checkFiles(matrix); !status)
        return status.error();
    if (!lengths) {
        Result<std::shared_ptr<const LengthSource>> made = makeLengthSource(point.lengths);
        if (!made)
            return made.error();
        lengths = std::move(made).value();
    }
    return std::shared_ptr<const RequestSource>(
        std::make_shared<PointRequests>(matrix, point, options, std::move(lengths)));
}

std::shared_ptr<const RequestSource> makePrimingSource(const Matrix& matrix, const PointPlan& point,
                                                       const BodyOptions& options)
{
    return std::make_shared<PrimingRequests>(matrix, point, options);
}

} // namespace tailmark
