// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/file_prompt_requests.h"

#include "record/request_record.h"
#include "schedule/arrivals.h"
#include "workload/prompt_writer.h"
#include "workload/request_body.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// As the body is written: text, never token ids, and messages in place of a prompt of ours.
BodyOptions asText(BodyOptions options, bool messages)
{
    options.fit = PromptFit();
    options.wholeMessages = messages;
    return options;
}

class FilePromptRequests final : public RequestSource
{
public:
    FilePromptRequests(const Matrix& matrix, const PointPlan& point, const BodyOptions& options,
                       std::shared_ptr<const LengthSource> lengths)
        : m_point(point), m_lengths(std::move(lengths)), m_prompts(*m_lengths->prompts()),
          m_arrivals(point.openLoop() ? makeArrivals(point) : std::vector<Arrival>())
    {
        m_bodies.reserve(m_prompts.extras().size());
        for (const nlohmann::json& extras : m_prompts.extras())
            m_bodies.emplace_back(matrix, asText(options, m_prompts.areMessages()), cacheFields(point, options),
                                  extras);
    }

    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_arrivals.size()); }

    PlannedRequest planned(std::uint32_t index) const override
    {
        const std::size_t prompt = promptOf(index);
        PlannedRequest request;
        request.promptTokens = m_prompts.promptTokens(prompt);
        request.outputTokens = m_prompts.outputTokens(prompt) * m_bodies.front().choices();
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
        const std::size_t prompt = promptOf(index);
        const RequestBody& request = m_bodies[m_prompts.extrasOf(prompt)];
        request.begin(body, index);
        body += m_prompts.asJson(prompt);
        request.end(body, m_prompts.outputTokens(prompt), index);
    }

private:
    std::size_t promptOf(std::uint32_t index) const
    {
        return m_prompts.indexOf(m_point.seeds.lengths, index);
    }

    PointPlan m_point;
    std::shared_ptr<const LengthSource> m_lengths;
    const FilePrompts& m_prompts;
    std::vector<Arrival> m_arrivals;
    std::vector<RequestBody> m_bodies; ///< one for each of the file's extras
};

} // namespace

Result<std::shared_ptr<const RequestSource>> makeFilePromptSource(const Matrix& matrix, const PointPlan& point,
                                                                  const BodyOptions& options,
                                                                  std::shared_ptr<const LengthSource> lengths)
{
    if (Status status = lengths->prompts()->fitApi(matrix.target.api); !status)
        return status.error();
    return std::shared_ptr<const RequestSource>(
        std::make_shared<FilePromptRequests>(matrix, point, options, std::move(lengths)));
}

} // namespace tailmark
