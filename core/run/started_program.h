// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tailmark {

/// A program and its arguments as one line that a shell would take for the same: what is shown, and what is allowed.
std::string commandText(const std::vector<std::string>& command);

/// A program that was started, in a process group of its own, so that Ctrl-C at the terminal does not end it before
/// the run has. It has no standard input; what it writes is kept in an unlinked file. Ended with this object unless it
/// was let go of: asked to (SIGTERM), and after ten seconds made to, with all of its group. It is asked to end as well
/// when the thread that started it is gone, however that came. One thread.
class StartedProgram
{
public:
    /// `mayOutlive`: it is not asked to end with the thread. Errors (BadInput): the program is not found or cannot be
    /// run.
    static Result<StartedProgram> start(const std::vector<std::string>& command, bool mayOutlive = false);
    StartedProgram(StartedProgram&&) noexcept;
    StartedProgram& operator=(StartedProgram&&) = delete;
    ~StartedProgram();

    /// How it ended, in words, with the last line that it wrote; absent while it runs.
    std::optional<std::string> ended();
    void letGo() { m_kept = true; }

private:
    struct Closer
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    StartedProgram() = default;
    bool hasEnded();
    std::string lastLine() const;

    pid_t m_pid = -1;
    std::optional<std::string> m_ended; ///< how
    bool m_kept = false;
    std::unique_ptr<std::FILE, Closer> m_output;
};

} // namespace tailmark
