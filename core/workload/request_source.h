// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string>

namespace tailmark {

/// What one request of a point will be, before it is sent.
struct PlannedRequest
{
    Nanoseconds intended{0};  ///< open loop: start since the start of the point; closed loop: unused
    Nanoseconds thinkTime{0}; ///< closed loop: pause of the worker before this request; 0 before its first
    std::int32_t promptTokens = 0;
    std::int32_t promptTokensClient = -1; ///< as our own count of the prompt written has it; −1 = not known
    /// Of the prompt, what earlier requests of the point have, or what was sent before it: an endless prefix
    /// cache serves these; −1 = no sharing is planned.
    std::int32_t cachedTokens = -1;
    std::int32_t session = -1, turn = -1; ///< from 0; −1 = of no session
    std::int32_t outputTokens = 0;        ///< cap, or forced length, of all choices together
    std::uint8_t phase = 0;
};

/// Requests that a worker of a closed loop sends one after another, each after the end of the one before it.
struct RequestChain
{
    std::uint32_t first = 0; ///< number of the first; the others follow it
    std::uint32_t count = 1;
    bool operator==(const RequestChain&) const = default;
};

/// The point's requests as data: decided by seeds before the first send, the same on every machine and
/// thread. Both calls are const, safe from several generator threads at once, and allocate nothing once
/// `body` has grown.
class RequestSource
{
public:
    virtual ~RequestSource() = default;

    /// Open loop: how many requests there are. Closed loop: 0, there is always another.
    virtual std::uint32_t count() const = 0;
    /// Request `index`; open loop: ordered by `intended`.
    virtual PlannedRequest planned(std::uint32_t index) const = 0;
    /// Closed loop: what the `number`th time that a worker is free gives it. The chains follow each other
    /// without a gap in the numbers; without sessions each is one request.
    virtual RequestChain chain(std::uint32_t number) const { return {number, 1}; }
    /// Writes the JSON body of request `index` into `body`, replacing what is there.
    virtual void writeBody(std::uint32_t index, std::string& body) const = 0;
};

} // namespace tailmark
