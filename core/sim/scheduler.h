// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "sim/block_pool.h"
#include "sim/profile.h"

namespace tailmark::sim {

/// A request as the scheduler sees it: lengths, and what its blocks will hold.
struct SchedulerRequest
{
    std::uint64_t id = 0; ///< unique among the requests in the scheduler
    int promptTokens = 0; ///< at least 1
    int outputTokens = 0; ///< how many it will generate if nobody aborts it; at least 1
    /// Chained hashes of the full blocks of prompt and output together; blocks without one are never shared.
    std::vector<BlockHash> blockHashes;
};

enum class Admission {
    Queued,
    QueueFull, ///< no free slot and no room in the bounded queue
    TooLong,   ///< prompt + output exceed max_model_len
};

/// What one request got from a step.
struct Emission
{
    std::uint64_t id = 0;
    int tokens = 0;        ///< at least 1; more under speculation
    bool finished = false; ///< these were its last; the scheduler has forgotten it
    int cachedTokens = 0;  ///< prompt tokens found in the prefix cache when it was first scheduled
    int preemptions = 0;   ///< so far
};

/// Counters since the start, but for the gauges that say "now".
struct SchedulerStats
{
    int running = 0;    ///< now
    int waiting = 0;    ///< now
    double kvUsage = 0; ///< now, share of blocks in use, 0..1
    std::int64_t steps = 0;
    std::int64_t prefixQueries = 0; ///< tokens looked up in the prefix cache at first admission
    std::int64_t prefixHits = 0;    ///< tokens found
    std::int64_t preemptions = 0;
    std::int64_t drafts = 0; ///< times a sequence had drafts verified
    std::int64_t draftTokens = 0;
    std::int64_t acceptedTokens = 0;
};

/// Continuous batching as vLLM V1 does it, without clock or I/O. The owner calls beginStep, lets the returned
/// time pass (requests may be added and aborted meanwhile), calls endStep, and so on. Rules of a step:
/// 1. Every running request, oldest first, gets its tokens within the token budget: one and its drafts when
/// decoding,
///    as much of its prompt as fits otherwise. Where blocks lack, the youngest running request is preempted:
///    its blocks are freed, it goes to the front of the queue and is computed again later.
/// 2. Unless somebody was preempted, waiting requests are admitted in order while budget, max_num_seqs and
/// blocks
///    last. The cached prefix is skipped, but never the last token of the prompt: a fully cached prompt
///    computes its last block again. Admission looks at the prompt only, not at the output to come.
/// 3. A request whose tokens are all computed gets its next token at the end of the step.
/// One thread.
class Scheduler
{
public:
    /// `maxQueue`: requests that may wait beyond those that can start at once, 0 = any number.
    Scheduler(const Profile& profile, int maxQueue, std::uint64_t seed);
    ~Scheduler();

    Admission add(SchedulerRequest request);
    /// Forgets the request at once, also in the middle of a step; unknown ids are ignored.
    void abort(std::uint64_t id);

    bool hasWork() const { return !m_running.empty() || !m_waiting.empty(); }
    bool inStep() const { return m_inStep; }
    /// Plans the next forward pass and returns how long it takes, in ms; nothing when there is nothing to do.
    std::optional<double> beginStep();
    /// Requests that the step begun last admitted for the first time: their time in the queue is over.
    const std::vector<std::uint64_t>& firstScheduled() const { return m_firstScheduled; }
    /// Ends the step; what each request got, in the order of the batch. Valid until the next call.
    const std::vector<Emission>& endStep();

    SchedulerStats stats() const;
    /// False, and no effect, while any request holds blocks.
    bool resetPrefixCache() { return m_pool.forgetAll(); }

private:
    struct Sequence;
    struct Planned
    {
        Sequence* sequence; ///< null once aborted
        int tokens;         ///< computed in this step, drafts not included
        int drafts;
    };

    void scheduleRunning(int& budget, bool& preempted);
    void admitWaiting(int& budget);
    bool allocate(Sequence& sequence, int tokens, int drafts);
    void preempt(Sequence& sequence);
    void plan(Sequence& sequence, int tokens, int drafts);
    double stepTime();
    int acceptedOf(int drafts);

    const Profile m_profile;
    const int m_maxQueue;
    BlockPool m_pool;
    Rng m_jitterRng;
    Rng m_acceptanceRng;
    std::unordered_map<std::uint64_t, std::unique_ptr<Sequence>> m_sequences;
    std::vector<Sequence*> m_running;
    std::deque<Sequence*> m_waiting;
    std::vector<Planned> m_planned;
    std::vector<std::uint64_t> m_firstScheduled;
    std::vector<Emission> m_emissions;
    SchedulerStats m_counters;
    bool m_inStep = false;
};

} // namespace tailmark::sim
