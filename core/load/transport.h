// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "record/request_record.h"
#include "workload/request_source.h"

#include <cstdint>

namespace tailmark {

/// A request whose time has come, as the driver hands it to a transport. Times since the start of the point.
struct SendOrder
{
    std::uint32_t request = 0; ///< number within the point
    std::int32_t worker = -1;  ///< closed loop; open loop: −1
    Nanoseconds intended{0};   ///< when it was to be sent
    PlannedRequest planned;
};

/// The fields of a record that are known before anything was sent.
RequestRecord recordOf(const SendOrder& order);

/// Told by a transport how each request ended, after its record was handed over.
class TransportObserver
{
public:
    virtual void ended(const RequestRecord& record) = 0;

protected:
    ~TransportObserver() = default;
};

/// What carries requests to the target and records what comes back. One thread.
class Transport
{
public:
    virtual ~Transport() = default;
    /// Begins to send. Ends in exactly one TransportObserver::ended(), later, never from inside this call.
    virtual void send(const SendOrder& order) = 0;
    /// Ends all that is in flight as `cancelled`; each has been told when this returns.
    virtual void cancelAll() = 0;
};

} // namespace tailmark
