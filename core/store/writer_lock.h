// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "base/result.h"

#include <string>

namespace tailmark {

/// Tells whether the writer of a run still lives. The writer holds a lock on one byte (the run's number) of a
/// file beside the database; the kernel releases it when the process ends, however it ends. Unlike a stored
/// process id this survives neither reboot nor reuse of ids, and holds across containers that number their
/// processes apart. The locks belong to the open file, so that two stores in one process see each other as
/// two processes do. A file of its own, because closing any descriptor of the database would drop SQLite's
/// locks on it. The last writer takes the file away.
class WriterLock
{
public:
    explicit WriterLock(std::string databasePath);
    WriterLock(WriterLock&& other) noexcept;
    WriterLock& operator=(WriterLock&&) = delete;
    ~WriterLock();

    Status acquire(RunId run);
    void release(RunId run);
    /// Whether any store, this one included, writes `run`.
    bool isHeld(RunId run) const;

private:
    std::string m_path;
    int m_fd = -1;
};

} // namespace tailmark
