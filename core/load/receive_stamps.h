// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

namespace tailmark {

/// When the kernel received what waits on a socket (SO_TIMESTAMPNS), on the monotonic clock. Engines send the
/// tokens of one decode step to all streams at once; a stamp taken while working through them would add the
/// client's own queue to every time, the kernel's does not. One thread.
class ReceiveStamps
{
public:
    ReceiveStamps();
    ~ReceiveStamps();
    ReceiveStamps(const ReceiveStamps&) = delete;
    ReceiveStamps& operator=(const ReceiveStamps&) = delete;

    /// Asks for stamps on a socket; done before its first byte comes.
    static void enable(int fd);
    /// The stamp of the data that is read next, without reading it; absent where there is none.
    Nanoseconds peek(int fd) const;
    /// Kernel stamps are wall-clock; measures anew how far it is from the monotonic clock. Call it about 100
    /// times a second: at the largest slew of the wall clock (0.05 %) the error then stays within 5 µs.
    void calibrate();

private:
    int m_keepEnabled = -1; ///< a socket with stamps, so that the kernel stamps from the first packet on
    Nanoseconds m_wallToMonotonic{0};
};

} // namespace tailmark
