// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/receive_stamps.h"

#include <cstring>
#include <ctime>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tailmark {

namespace {

Nanoseconds toNanoseconds(const timespec& ts)
{
    return std::chrono::seconds(ts.tv_sec) + Nanoseconds(ts.tv_nsec);
}

Nanoseconds readClock(clockid_t id)
{
    timespec ts{};
    clock_gettime(id, &ts);
    return toNanoseconds(ts);
}

} // namespace

ReceiveStamps::ReceiveStamps() : m_keepEnabled(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
{
    if (m_keepEnabled >= 0)
        enable(m_keepEnabled);
    calibrate();
}

ReceiveStamps::~ReceiveStamps()
{
    if (m_keepEnabled >= 0)
        ::close(m_keepEnabled);
}

void ReceiveStamps::enable(int fd)
{
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

Nanoseconds ReceiveStamps::peek(int fd) const
{
    char byte;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) <= 0)
        return kAbsentTime;
    for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part;
         part = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(part))) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
            timespec ts;
            std::memcpy(&ts, CMSG_DATA(part), sizeof ts);
            return toNanoseconds(ts) + m_wallToMonotonic;
        }
    }
    return kAbsentTime;
}

void ReceiveStamps::calibrate()
{
    // of a few tries the one with the least time between the two monotonic readings is the least disturbed
    Nanoseconds least = Nanoseconds::max();
    for (int i = 0; i < 3; ++i) {
        const Nanoseconds before = readClock(CLOCK_MONOTONIC);
        const Nanoseconds wall = readClock(CLOCK_REALTIME);
        const Nanoseconds after = readClock(CLOCK_MONOTONIC);
        if (after - before < least) {
            least = after - before;
            m_wallToMonotonic = before + least / 2 - wall;
        }
    }
}

} // namespace tailmark
