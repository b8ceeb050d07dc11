// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/writer_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tailmark {

namespace {

struct flock byteOf(RunId run, short type)
{
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = run.value;
    lock.l_len = 1;
    return lock;
}

} // namespace

WriterLock::WriterLock(std::string databasePath) : m_path(std::move(databasePath) + "-writers") {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : m_path(std::move(other.m_path)), m_fd(std::exchange(other.m_fd, -1))
{
}

WriterLock::~WriterLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Status WriterLock::acquire(RunId run)
{
    if (m_fd < 0)
        m_fd = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct flock lock = byteOf(run, F_WRLCK);
    if (m_fd < 0 || ::fcntl(m_fd, F_OFD_SETLK, &lock) != 0)
        return Error{ErrorCode::Io, m_path,
                     std::string("the run cannot be marked as being written: ") + std::strerror(errno)};
    return success();
}

void WriterLock::release(RunId run)
{
    struct flock lock = byteOf(run, F_UNLCK);
    if (m_fd >= 0)
        ::fcntl(m_fd, F_OFD_SETLK, &lock);
}

bool WriterLock::isHeld(RunId run) const
{
    // A descriptor of its own: a lock never conflicts with others of the same open file, so m_fd would not
    // show ours.
    const int fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT; // a writer always has the file; where it cannot be asked, nothing is known
                                // against the run
    struct flock lock = byteOf(run, F_WRLCK);
    const bool asked = ::fcntl(fd, F_OFD_GETLK, &lock) == 0;
    ::close(fd);
    return !asked || lock.l_type != F_UNLCK;
}

} // namespace tailmark
