// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/runner.h"

#include <thread>

namespace tailmark::cli {

/// Interrupt and termination signals end the run cleanly through `control`; a second one ends the process at
/// once. For the rest of the process's life; `control` must live as long. A reader of our output that goes
/// away does not end the run.
/// `news`: a line for standard error, so that whoever asks sees that it ends; must live as long too.
void stopOnSignals(RunControl& control, const char* news);

/// Reads control lines from standard input on a thread of its own: pause, resume, skip, stop. Other lines are
/// ignored.
class ControlLines
{
public:
    /// `stopAtEnd`: the end of standard input stops the run, so that the engine does not outlive whoever
    /// started it.
    ControlLines(RunControl& control, bool stopAtEnd);
    ~ControlLines();
    ControlLines(const ControlLines&) = delete;
    ControlLines& operator=(const ControlLines&) = delete;

private:
    void read(RunControl& control, bool stopAtEnd) const;

    int m_quit = -1; ///< event descriptor: written when the run is over
    std::thread m_thread;
};

} // namespace tailmark::cli
