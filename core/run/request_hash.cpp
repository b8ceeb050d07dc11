// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/request_hash.h"

#include "base/sha256.h"
#include "workload/prompt_file.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// Numbers as eight bytes, the lowest first, whatever the machine.
class Hasher
{
public:
    void add(std::int64_t number)
    {
        char bytes[8];
        for (int i = 0; i < 8; ++i)
            bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
        m_hash.add({bytes, sizeof bytes});
    }
    void add(std::string_view text)
    {
        add(static_cast<std::int64_t>(text.size()));
        m_hash.add(text);
    }
    std::string hex() { return m_hash.hex(); }

private:
    Sha256 m_hash;
};

std::uint32_t requestsIn(const PointPlan& point, const RequestSource& source)
{
    std::uint32_t count = point.openLoop() ? source.count() : kClosedLoopRequests;
    if (point.maxRequests > 0 && point.maxRequests < count)
        count = static_cast<std::uint32_t>(point.maxRequests);
    return count;
}

} // namespace

Result<RequestHash> hashRequests(const Plan& plan, const RequestsOf& requestsOf)
{
    RequestHash hash;
    Hasher hasher;
    std::string body;
    for (const PointPlan& point : plan.points) {
        const Result<std::shared_ptr<const RequestSource>> source = requestsOf(point);
        if (!source)
            return source.error();
        const std::uint32_t count = requestsIn(point, *source.value());
        hasher.add(point.test);
        hasher.add(std::int64_t{point.concurrency});
        hasher.add(std::int64_t{count});
        std::uint64_t bytes = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const PlannedRequest planned = source.value()->planned(i);
            hasher.add(planned.intended.count());
            hasher.add(planned.thinkTime.count());
            hasher.add(std::int64_t{planned.promptTokens});
            hasher.add(std::int64_t{planned.outputTokens});
            if (bytes >= kBodyBytes)
                continue;
            source.value()->writeBody(i, body);
            hasher.add(body);
            bytes += body.size();
        }
        hash.requests += count;
    }
    hash.sha256 = hasher.hex();
    return hash;
}

Result<nlohmann::json> requestNames(const Plan& plan, const BodyOptions& body,
                                    const std::function<const ReadLengths*(const PointPlan&)>& readFor)
{
    BodyOptions sent = body;
    sent.runSalt.clear();
    BodyOptions neutral;
    neutral.fit = body.fit;
    Matrix anywhere = plan.matrix;
    anywhere.target = Target{};
    anywhere.target.api = plan.matrix.target.api;
    nlohmann::json names;
    for (const bool asSent : {true, false}) {
        const Result<RequestHash> hash = hashRequests(plan, [&](const PointPlan& point) {
            const ReadLengths* read = readFor(point);
            return makeRequestSource(asSent ? plan.matrix : anywhere, point, asSent ? sent : neutral,
                                     read ? read->source : nullptr, read ? read->log : nullptr);
        });
        if (!hash)
            return hash.error();
        names[asSent ? "sha256" : "prompts_sha256"] = hash.value().sha256;
        names["hashed"] = hash.value().requests;
    }
    for (const PointPlan& point : plan.points)
        if (const ReadLengths* read = readFor(point); read && read->source)
            if (const FilePrompts* prompts = read->source->prompts(); prompts && !prompts->fieldsOfRows().empty())
                names["extras_of_rows"] = prompts->fieldsOfRows();
    return names;
}

} // namespace tailmark
