// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tailmark::sim {

enum class FaultKind : std::uint8_t {
    None,
    Status,    ///< answers with this HTTP status and an error body
    Stall,     ///< stops writing half-way through the answer for this many seconds
    Hang,      ///< accepts the request and never answers
    Cut,       ///< closes the connection after this many token chunks, without a finish
    Error,     ///< an error object in the 200 stream after this many token chunks
    Garbage,   ///< answers 200 with bytes that are no event stream
    SlowStart, ///< the whole server answers 503 for this many seconds after its start
    NoUsage,   ///< never sends the usage it was asked for
};

/// One `--fault KIND[:PARAM]@SHARE`.
struct Fault
{
    FaultKind kind = FaultKind::None;
    double param = 0; ///< status code, seconds or chunks; see FaultKind
    double share = 1; ///< of the requests, 0..1
};

std::string_view faultId(FaultKind kind);  ///< "stall"; "" for None
std::string faultText(const Fault& fault); ///< as it is written on the command line

/// Reads "stall:2.5@0.1"; without "@SHARE" every request.
Result<Fault> parseFault(std::string_view text);

/// Which fault, if any, the n-th request meets: seeded, and independent of time.
class FaultPicker
{
public:
    FaultPicker() = default;
    FaultPicker(std::vector<Fault> faults, std::uint64_t seed);

    /// The shares of all faults but SlowStart must not exceed 1 together.
    static Status check(const std::vector<Fault>& faults);

    Fault pick(std::uint64_t ordinal) const;

private:
    std::vector<Fault> m_faults;
    std::uint64_t m_seed = 0;
};

} // namespace tailmark::sim
