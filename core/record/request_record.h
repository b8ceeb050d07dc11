// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "record/outcome.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tailmark {

inline constexpr std::int32_t kUnknownCount = -1;

/// Which stamp the event times of a request carry (reference: kernel receive stamps are true to some µs even on a
/// saturated core; stamps at processing carry the client's own queue).
enum class StampSource : std::uint8_t { Kernel, Readiness, Processing };
inline constexpr std::size_t kStampSourceCount = 3;
std::string_view stampSourceId(StampSource source); ///< "kernel", "readiness", "processing"

/// One token-bearing event of a response. Eight bytes, since a point may hold millions.
struct ChunkRecord
{
    enum Flag : std::uint16_t {
        Answer = 1,    ///< carries text of the answer (not only reasoning)
        Coalesced = 2, ///< came in the same read as the event before it, so the gap between them is not the engine's
    };
    static constexpr int kChoiceShift = 8; ///< the high byte of the flags: of which choice (`n` above 1)
    std::uint32_t sinceSentUs = 0; ///< µs after `sent`; 71 minutes at most, above the largest total time limit
    std::uint16_t tokens = 0;      ///< 0 = not known
    std::uint16_t flags = 0;

    int choice() const { return flags >> kChoiceShift; }
};

/// What was measured of one request. Fixed size, trivially copyable. Times are on the monotonic clock relative to
/// the start of the point; kAbsentTime = the moment never came. Counts: kUnknownCount = not known.
struct RequestRecord
{
    std::uint32_t request = 0; ///< number within the point, from 0, in the order of the schedule
    std::int32_t worker = -1;  ///< closed loop: which of the N workers; open loop: −1
    std::uint8_t phase = 0;    ///< index into the point's phases (burst/recovery), else 0

    Outcome outcome = Outcome::NotSent;
    FinishReason finishReason = FinishReason::None;
    StampSource stamps = StampSource::Processing;
    bool newConnection = false;
    bool resentAfterStale = false; ///< a reused connection was closed before any response byte; sent again once
    bool doneSeen = false;         ///< the stream's [DONE] came
    std::uint16_t httpStatus = 0;  ///< 0 = no response

    Nanoseconds intended = kAbsentTime;
    Nanoseconds sent = kAbsentTime;
    Nanoseconds headers = kAbsentTime;
    Nanoseconds firstEvent = kAbsentTime;
    Nanoseconds firstToken = kAbsentTime;
    Nanoseconds firstAnswerToken = kAbsentTime;
    Nanoseconds lastToken = kAbsentTime;
    Nanoseconds closed = kAbsentTime;
    Nanoseconds connect{0}; ///< DNS + TCP + TLS of a new connection; 0 on a reused one

    std::int32_t promptTokensPlanned = kUnknownCount;
    std::int32_t promptTokensClient = kUnknownCount; ///< of the prompt written, as we count it
    std::int32_t promptTokens = kUnknownCount;       ///< as the server reported
    /// Of the prompt, what requests before it had by plan, so that a prefix cache of endless size serves it.
    std::int32_t cachedTokensPlanned = kUnknownCount;
    std::int32_t session = kUnknownCount; ///< number within the point, from 0
    std::int32_t turn = kUnknownCount;    ///< of its session, from 0
    std::int32_t outputTokensCap = kUnknownCount;
    std::int32_t outputTokens = kUnknownCount; ///< last usage that is not null and not all zero, else evidence
    std::int32_t cachedTokens = kUnknownCount;
    std::int32_t tokenEvents = 0;
    /// Tokens that no time is divided over: those of the first token event; of several choices all, since theirs
    /// do not follow one another.
    std::int32_t firstEventTokens = kUnknownCount;
    std::int32_t coalescedEvents = 0;
    std::int32_t malformedEvents = 0;

    std::uint32_t chunkBegin = 0; ///< its chunks in the batch: [chunkBegin, chunkBegin + chunkCount)
    std::uint32_t chunkCount = 0;
    std::int32_t error = -1; ///< index into the batch's errors, −1 = none
};
static_assert(std::is_trivially_copyable_v<RequestRecord>);
static_assert(sizeof(ChunkRecord) == 8);

/// Records with the side tables they point into. What moves from generator to runner to store and back.
struct RecordBatch
{
    std::vector<RequestRecord> records;
    std::vector<ChunkRecord> chunks;
    std::vector<std::string> errors;

    std::span<const ChunkRecord> chunksOf(const RequestRecord& r) const
    {
        return std::span(chunks).subspan(r.chunkBegin, r.chunkCount);
    }
    std::string_view errorOf(const RequestRecord& r) const
    {
        return r.error < 0 ? std::string_view() : std::string_view(errors[static_cast<std::size_t>(r.error)]);
    }
    bool empty() const { return records.empty(); }
    void clear();
    /// Adds all of `other`, shifting its indices.
    void append(const RecordBatch& other);
};

} // namespace tailmark
