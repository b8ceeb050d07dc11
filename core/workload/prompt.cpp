// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt.h"

#include "base/rng.h"
#include "schedule/arrivals.h"
#include "workload/corpus.h"
#include "workload/request_body.h"

#include <algorithm>

namespace tailmark {

namespace {

/// Uniform in [0, 1).
double unit(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

class PointRequests final : public RequestSource
{
public:
    PointRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                  std::shared_ptr<const LengthSource> lengths)
        : m_point(point), m_lengths(std::move(lengths)),
          m_arrivals(point.openLoop() ? makeArrivals(point) : std::vector<Arrival>()),
          m_corpus(deriveSeed(matrix.workload.seed, 1)), m_body(matrix, options),
          m_overhead(matrix.target.api == Api::Chat ? options.chatOverheadTokens : 0)
    {
        const std::uint64_t salt = point.cache == CachePolicy::Cold ? hashText(options.runSalt) : 0;
        m_requestKey = deriveSeed(point.seeds.prompts, salt, 1);
        m_groupKey = deriveSeed(matrix.workload.seed, salt, 2);
        m_groupPickKey = deriveSeed(point.seeds.prompts, 3);
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_arrivals.size()); }

    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest request;
        const LengthPair lengths = m_lengths->draw(m_point.seeds.lengths, index);
        request.promptTokens = lengths.promptTokens;
        request.outputTokens = lengths.outputTokens * m_body.choices();
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
        const LengthPair lengths = m_lengths->draw(m_point.seeds.lengths, index);
        // One-to-one in the index, so that no two requests of a point begin with the same words.
        const std::uint64_t number = mixBits(m_requestKey + index);
        m_body.begin(body, number);
        std::size_t left = static_cast<std::size_t>(std::max(1, lengths.promptTokens - m_overhead));
        if (m_point.prefix.kind == PrefixKind::Shared) {
            const std::uint64_t pick = deriveSeed(m_groupPickKey, index);
            if (unit(pick) < m_point.prefix.share) {
                const std::uint64_t group = mixBits(pick) % static_cast<std::uint64_t>(m_point.prefix.groups);
                left -= write(body, deriveSeed(m_groupKey, group),
                              std::min(left, static_cast<std::size_t>(m_point.prefix.sharedTokens)));
            }
        }
        write(body, number, left);
        m_body.end(body, lengths.outputTokens, number);
    }

private:
    /// `words` words of which the first are the number's own; how many.
    std::size_t write(std::string& body, std::uint64_t number, std::size_t words) const
    {
        const std::size_t own = std::min(words, Corpus::kWordsOfNumber);
        Corpus::appendNumber(body, number, own);
        m_corpus.append(body, mixBits(number), words - own);
        return words;
    }

    PointPlan m_point;
    std::shared_ptr<const LengthSource> m_lengths;
    std::vector<Arrival> m_arrivals;
    Corpus m_corpus;
    RequestBody m_body;
    int m_overhead;
    std::uint64_t m_requestKey = 0;
    std::uint64_t m_groupKey = 0; ///< of the run, not of the point: groups last over points
    std::uint64_t m_groupPickKey = 0;
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

} // namespace tailmark
