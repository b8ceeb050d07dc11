// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/writer_lock.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tailmark {

namespace {

// Who takes the file away holds all of it, for a moment only.
constexpr int kAttempts = 100;
constexpr auto kBetweenAttempts = std::chrono::milliseconds(10);

struct flock rangeFrom(std::int64_t start, std::int64_t length, short type)
{
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

struct flock byteOf(RunId run, short type)
{
    return rangeFrom(run.value, 1, type);
}

/// Whether the open file is the one that lies there under this name.
bool liesAt(int fd, const std::string& path)
{
    struct stat open = {}, there = {};
    return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
           open.st_ino == there.st_ino;
}

} // namespace

WriterLock::WriterLock(std::string databasePath) : m_path(std::move(databasePath) + "-writers") {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : m_path(std::move(other.m_path)), m_fd(std::exchange(other.m_fd, -1))
{
}

WriterLock::~WriterLock()
{
    if (m_fd < 0)
        return;
    struct flock all = rangeFrom(0, 0, F_WRLCK);
    if (::fcntl(m_fd, F_OFD_SETLK, &all) == 0 && liesAt(m_fd, m_path)) // the last writer
        ::unlink(m_path.c_str());
    ::close(m_fd);
}

Status WriterLock::acquire(RunId run)
{
    int reason = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        if (attempt > 0)
            std::this_thread::sleep_for(kBetweenAttempts);
        if (m_fd < 0)
            m_fd = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        struct flock lock = byteOf(run, F_WRLCK);
        if (m_fd >= 0 && ::fcntl(m_fd, F_OFD_SETLK, &lock) == 0 && liesAt(m_fd, m_path))
            return success();
        reason = errno;
        if (m_fd < 0)
            break;
        if (!liesAt(m_fd, m_path)) // another has taken it away: runs of ours that are locked there have lost
            ::close(std::exchange(m_fd, -1)); // their database too
    }
    return Error{ErrorCode::Io, m_path,
                 std::string("the run cannot be marked as being written: ") + std::strerror(reason)};
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
