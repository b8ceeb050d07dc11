// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <string>
#include <vector>

#include <sys/socket.h>

namespace tailmark {

struct SocketAddress
{
    sockaddr_storage storage{};
    socklen_t size = 0;
    bool matches(int family, const sockaddr* address, socklen_t length) const;
};

/// Where the connections go: the target's host, looked up once, so that a run neither waits for nor floods a
/// resolver.
struct TargetAddress
{
    std::vector<SocketAddress> addresses;
    /// For CURLOPT_RESOLVE: "host:port:address,…"; empty when the host is an address itself.
    std::string resolveEntry;
};

/// Blocking. Errors: BadInput (no http or https URL), Unreachable (the host has no address).
Result<TargetAddress> resolveTarget(const std::string& url);

/// Connections opened before the load, as sockets in the connected state.
struct OpenedAhead
{
    std::vector<int> sockets;
    SocketAddress address; ///< where they lead
};

/// Opens up to `count` connections, at most `perSecond`, since a thousand at once overrun a short listen
/// backlog and then wait a second for the repeated SYN. Gives up at the first refusal and, at the latest,
/// `patience` after the last was begun; what is open by then is returned. Blocking; never fails, since the
/// requests will tell.
OpenedAhead openAhead(const TargetAddress& target, int count, int perSecond, Nanoseconds patience);

} // namespace tailmark
