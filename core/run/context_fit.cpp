// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/context_fit.h"

#include "analysis/text.h"
#include "workload/prompt_file.h"

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
        : m_source(std::move(source)), m_room(room), m_parts(m_source->parts())
    {
        for (LengthPart& part : m_parts)
            for (LengthPair& pair : part.pairs)
                pair = clipped(pair, m_room);
    }
    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        return clipped(m_source->draw(seed, request), m_room);
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }
    std::size_t partOf(std::uint64_t seed, std::uint32_t request) const override
    {
        return m_source->partOf(seed, request);
    }
    std::string remark() const override { return m_source->remark(); }

private:
    std::shared_ptr<const LengthSource> m_source;
    std::int32_t m_room;
    std::vector<LengthPart> m_parts;
};

} // namespace

Result<ContextFit> fitIntoContext(std::shared_ptr<const LengthSource> source, LengthsKind kind,
                                  BeyondContext policy, int contextTokens, int templateTokens)
{
    const FilePrompts* prompts = source->prompts();
    if (contextTokens <= 0 || (prompts && !prompts->tokensTold()))
        return ContextFit{std::move(source), {}};
    const std::int32_t room = contextTokens - templateTokens;
    const auto need = [](const LengthPair& pair) {
        return static_cast<std::int64_t>(pair.promptTokens) + pair.outputTokens;
    };
    double tooLong = 0;
    std::size_t lengths = 0;
    LengthPair longest;
    for (const LengthPart& part : source->parts()) {
        const auto n = std::count_if(part.pairs.begin(), part.pairs.end(),
                                     [&](const LengthPair& p) { return need(p) > room; });
        tooLong += part.share * static_cast<double>(n) / static_cast<double>(part.pairs.size());
        lengths += part.pairs.size();
        for (const LengthPair& pair : part.pairs)
            if (need(pair) > need(longest))
                longest = pair;
    }
    if (tooLong == 0)
        return ContextFit{std::move(source), {}};
    std::string text =
        "the longest planned request is " + std::to_string(need(longest) + templateTokens) + " tokens (" +
        std::to_string(longest.promptTokens) + " prompt + " + std::to_string(longest.outputTokens) +
        " output" +
        (templateTokens > 0 ? " + " + std::to_string(templateTokens) + " of the chat template" : "") +
        "), the target's context is " + std::to_string(contextTokens);
    if (lengths > 1)
        text += "; " + (tooLong < 0.001 ? std::string("less than 0.1 %") : percentText(tooLong)) +
                " of the requests do not fit";
    if (policy == BeyondContext::Send)
        return ContextFit{std::move(source), text + ": they are sent as planned (workload.beyond_context)"};
    if (policy == BeyondContext::Clip && kind != LengthsKind::Fixed && !prompts && room >= 2)
        return ContextFit{std::make_shared<ClippedLengths>(std::move(source), room),
                          text + ": their prompts are cut to fit (workload.beyond_context)"};
    if (prompts)
        text += "; real prompts are not cut, workload.beyond_context \"send\" sends them as they are";
    else if (kind != LengthsKind::Fixed)
        text += "; workload.beyond_context \"clip\" cuts them, \"send\" sends them as planned";
    return Error{ErrorCode::Unreachable, {}, text};
}

} // namespace tailmark
