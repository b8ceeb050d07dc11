// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scheduler.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include "sim/step_time.h"

namespace tailmark::sim {

namespace {

enum SeedOf : std::uint64_t { kJitter = 1, kAcceptance = 2 };

int blocksFor(int tokens, int block)
{
    return (tokens + block - 1) / block;
}

} // namespace

struct Scheduler::Sequence
{
    SchedulerRequest request;
    int computed = 0;      ///< tokens whose keys and values are in its blocks
    int output = 0;        ///< tokens generated
    int drafts = 0;        ///< proposed for the next step
    int cachedTokens = -1; ///< unknown before the first admission
    int preemptions = 0;
    std::vector<BlockId> blocks;
    int hashed = 0; ///< leading blocks whose content is known to the pool

    int tokens() const { return request.promptTokens + output; }
};

Scheduler::Scheduler(const Profile& profile, int maxQueue, std::uint64_t seed)
    : m_profile(profile), m_maxQueue(maxQueue),
      m_pool(static_cast<int>(profile.kvCapacityTokens / profile.block), profile.prefixCache),
      m_jitterRng(deriveSeed(seed, kJitter)), m_acceptanceRng(deriveSeed(seed, kAcceptance))
{
}

Scheduler::~Scheduler() = default;

Admission Scheduler::add(SchedulerRequest request)
{
    if (request.promptTokens + request.outputTokens > m_profile.maxModelLen)
        return Admission::TooLong;
    const std::size_t bound = static_cast<std::size_t>(m_profile.maxNumSeqs) + m_maxQueue;
    if (m_maxQueue > 0 && m_running.size() + m_waiting.size() >= bound)
        return Admission::QueueFull;
    auto sequence = std::make_unique<Sequence>();
    sequence->request = std::move(request);
    m_waiting.push_back(sequence.get());
    m_sequences[sequence->request.id] = std::move(sequence);
    return Admission::Queued;
}

void Scheduler::abort(std::uint64_t id)
{
    const auto it = m_sequences.find(id);
    if (it == m_sequences.end())
        return;
    Sequence* sequence = it->second.get();
    m_pool.release(sequence->blocks);
    std::erase(m_running, sequence);
    std::erase(m_waiting, sequence);
    for (Planned& planned : m_planned)
        if (planned.sequence == sequence)
            planned.sequence = nullptr;
    m_sequences.erase(it);
}

std::optional<double> Scheduler::beginStep()
{
    m_planned.clear();
    m_firstScheduled.clear();
    if (!hasWork())
        return std::nullopt;
    int budget = m_profile.maxNumBatchedTokens;
    bool preempted = false;
    scheduleRunning(budget, preempted);
    if (!preempted)
        admitWaiting(budget);
    m_inStep = true;
    ++m_counters.steps;
    return stepTime();
}

void Scheduler::scheduleRunning(int& budget, bool& preempted)
{
    for (std::size_t i = 0; i < m_running.size() && budget > 0; ++i) {
        Sequence& sequence = *m_running[i];
        const int tokens = std::min(sequence.tokens() - sequence.computed, budget);
        const int drafts = std::min(sequence.drafts, budget - tokens);
        while (!allocate(sequence, tokens, drafts)) {
            Sequence* victim = m_running.back();
            m_running.pop_back();
            preempt(*victim);
            preempted = true;
            if (victim == &sequence)
                return;
        }
        plan(sequence, tokens, drafts);
        budget -= tokens + drafts;
    }
}

void Scheduler::admitWaiting(int& budget)
{
    const int block = m_profile.block;
    while (!m_waiting.empty() && budget > 0 &&
           m_running.size() < static_cast<std::size_t>(m_profile.maxNumSeqs)) {
        Sequence& sequence = *m_waiting.front();
        const auto& hashes = sequence.request.blockHashes;
        const std::size_t reusable = std::min<std::size_t>((sequence.tokens() - 1) / block, hashes.size());
        const std::vector<BlockId> prefix = m_pool.findPrefix(std::span(hashes).first(reusable));
        const int cached = static_cast<int>(prefix.size()) * block;
        const int tokens = std::min(sequence.tokens() - cached, budget);
        const int fresh = blocksFor(cached + tokens, block) - static_cast<int>(prefix.size());
        if (fresh + m_pool.freeAmong(prefix) > m_pool.free())
            return;
        m_pool.share(prefix);
        // A preempted request starts over too, from what the cache still has of it.
        sequence.blocks = prefix;
        sequence.hashed = static_cast<int>(prefix.size());
        sequence.computed = cached;
        if (sequence.cachedTokens < 0) {
            sequence.cachedTokens = cached;
            m_firstScheduled.push_back(sequence.request.id);
            if (m_profile.prefixCache) {
                m_counters.prefixQueries += sequence.tokens();
                m_counters.prefixHits += cached;
            }
        }
        allocate(sequence, tokens, 0);
        m_waiting.pop_front();
        m_running.push_back(&sequence);
        plan(sequence, tokens, 0);
        budget -= tokens;
    }
}

bool Scheduler::allocate(Sequence& sequence, int tokens, int drafts)
{
    const int wanted = blocksFor(sequence.computed + tokens + drafts, m_profile.block);
    const int fresh = wanted - static_cast<int>(sequence.blocks.size());
    if (fresh > m_pool.free())
        return false;
    if (fresh > 0)
        m_pool.take(fresh, sequence.blocks);
    // A block counts as cached from the step that fills it on: a request later in the same batch may share
    // it, because each layer writes its keys and values before it reads them.
    const auto& hashes = sequence.request.blockHashes;
    const int full =
        std::min((sequence.computed + tokens) / m_profile.block, static_cast<int>(hashes.size()));
    for (; sequence.hashed < full; ++sequence.hashed)
        m_pool.setHash(sequence.blocks[sequence.hashed], hashes[sequence.hashed]);
    return true;
}

void Scheduler::preempt(Sequence& sequence)
{
    m_pool.release(sequence.blocks);
    sequence.blocks.clear();
    sequence.drafts = 0;
    ++sequence.preemptions;
    ++m_counters.preemptions;
    m_waiting.push_front(&sequence);
}

void Scheduler::plan(Sequence& sequence, int tokens, int drafts)
{
    m_planned.push_back({&sequence, tokens, drafts});
}

double Scheduler::stepTime()
{
    StepLoad load;
    for (const Planned& planned : m_planned) {
        const Sequence& sequence = *planned.sequence;
        const double past = sequence.computed;
        const double tokens = planned.tokens;
        const bool sampled = sequence.computed + planned.tokens == sequence.tokens();
        if (sampled)
            load.tokensEmitted = std::max(load.tokensEmitted, 1);
        if (sequence.output > 0 && sequence.computed == sequence.tokens() - 1) {
            ++load.decodeSequences;
            load.decodeTokens += 1 + planned.drafts;
            load.decodeContext += past + 1;
            load.draftedPositions = std::max(load.draftedPositions, planned.drafts);
        } else {
            load.prefillTokens += tokens;
            load.prefillAttention += (past + tokens) * (past + tokens) - past * past;
        }
    }
    double time = stepTimeMs(m_profile, load);
    if (m_profile.jitter > 0) {
        const double sigma = m_profile.jitter;
        time *=
            std::exp(sigma * boost::random::normal_distribution<double>()(m_jitterRng) - sigma * sigma / 2);
    }
    return time;
}

int Scheduler::acceptedOf(int drafts)
{
    int accepted = 0;
    while (accepted < drafts &&
           boost::random::uniform_01<double>()(m_acceptanceRng) < m_profile.speculative.acceptance)
        ++accepted;
    return accepted;
}

const std::vector<Emission>& Scheduler::endStep()
{
    m_inStep = false;
    m_emissions.clear();
    for (const Planned& planned : m_planned) {
        if (!planned.sequence)
            continue;
        Sequence& sequence = *planned.sequence;
        sequence.computed += planned.tokens;
        if (sequence.computed < sequence.tokens())
            continue;
        const int accepted = acceptedOf(planned.drafts);
        if (planned.drafts > 0) {
            ++m_counters.drafts;
            m_counters.draftTokens += planned.drafts;
            m_counters.acceptedTokens += accepted;
        }
        const int emitted = std::min(1 + accepted, sequence.request.outputTokens - sequence.output);
        sequence.computed += emitted - 1;
        sequence.output += emitted;
        const bool finished = sequence.output == sequence.request.outputTokens;
        sequence.drafts = std::min(m_profile.speculative.tokens, m_profile.maxModelLen - sequence.tokens());
        m_emissions.push_back(
            {sequence.request.id, emitted, finished, sequence.cachedTokens, sequence.preemptions});
        if (finished)
            m_pool.release(sequence.blocks);
    }
    std::erase_if(m_running, [](const Sequence* s) { return s->output == s->request.outputTokens; });
    for (const Emission& emission : m_emissions)
        if (emission.finished)
            m_sequences.erase(emission.id);
    m_planned.clear();
    return m_emissions;
}

SchedulerStats Scheduler::stats() const
{
    SchedulerStats stats = m_counters;
    stats.running = static_cast<int>(m_running.size());
    stats.waiting = static_cast<int>(m_waiting.size());
    stats.kvUsage = m_pool.total() > 0 ? 1.0 - double(m_pool.free()) / m_pool.total() : 0;
    return stats;
}

} // namespace tailmark::sim
