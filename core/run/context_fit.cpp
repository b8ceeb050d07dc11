// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/context_fit.h"

#include <algorithm>
#include <vector>

namespace tailmark {

namespace {

LengthPair clipped(LengthPair pair, std::int32_t room)
{
    pair.outputTokens = std::min(pair.outputTokens, room - 1);
    pair.promptTokens = std::min(pair.promptTokens, room - pair.outputTokens);
    return pair;
}

class ClippedLengths final : public LengthSource
{
public:
    ClippedLengths(std::shared_ptr<const LengthSource> source, std::int32_t room)
        : m_source(std::move(source)), m_room(room), m_pairs(m_source->pairs())
    {
        for (LengthPair& pair : m_pairs)
            pair = clipped(pair, m_room);
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        return clipped(m_source->draw(seed, request), m_room);
    }
    const std::vector<LengthPair>& pairs() const override { return m_pairs; }
    std::string remark() const override { return m_source->remark(); }

private:
    std::shared_ptr<const LengthSource> m_source;
    std::int32_t m_room;
    std::vector<LengthPair> m_pairs;
};

} // namespace

Result<ContextFit> fitIntoContext(std::shared_ptr<const LengthSource> source, LengthsKind kind,
                                  BeyondContext policy, int contextTokens, int templateTokens)
{
    if (contextTokens <= 0)
        return ContextFit{std::move(source), {}};
    const std::int32_t room = contextTokens - templateTokens;
    const std::vector<LengthPair>& pairs = source->pairs();
    const auto need = [](const LengthPair& pair) {
        return static_cast<std::int64_t>(pair.promptTokens) + pair.outputTokens;
    };
    const auto tooLong =
        std::count_if(pairs.begin(), pairs.end(), [&](const LengthPair& p) { return need(p) > room; });
    if (tooLong == 0)
        return ContextFit{std::move(source), {}};
    const LengthPair longest =
        *std::max_element(pairs.begin(), pairs.end(),
                          [&](const LengthPair& a, const LengthPair& b) { return need(a) < need(b); });
    std::string text =
        "the longest planned request is " + std::to_string(need(longest) + templateTokens) + " tokens (" +
        std::to_string(longest.promptTokens) + " prompt + " + std::to_string(longest.outputTokens) +
        " output" +
        (templateTokens > 0 ? " + " + std::to_string(templateTokens) + " of the chat template" : "") +
        "), the target's context is " + std::to_string(contextTokens);
    if (pairs.size() > 1)
        text +=
            ", " + std::to_string(tooLong) + " of " + std::to_string(pairs.size()) + " lengths do not fit";
    if (policy == BeyondContext::Send)
        return ContextFit{std::move(source), text + ": they are sent as planned (workload.beyond_context)"};
    if (policy == BeyondContext::Clip && kind != LengthsKind::Fixed && room >= 2)
        return ContextFit{std::make_shared<ClippedLengths>(std::move(source), room),
                          text + ": their prompts are cut to fit (workload.beyond_context)"};
    if (kind != LengthsKind::Fixed)
        text += "; workload.beyond_context \"clip\" cuts them, \"send\" sends them as planned";
    return Error{ErrorCode::Unreachable, {}, text};
}

} // namespace tailmark
