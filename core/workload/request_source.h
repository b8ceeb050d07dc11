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
    std::int32_t outputTokens = 0; ///< cap, or forced length, of all choices together
    std::uint8_t phase = 0;
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
    /// Writes the JSON body of request `index` into `body`, replacing what is there.
    virtual void writeBody(std::uint32_t index, std::string& body) const = 0;
};

} // namespace tailmark
