// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/recorded_times.h"
#include "workload/trace/trace.h"

namespace tailmark {

/// The times of a log as schedules take them: its arrivals where it tells them on one clock, its think times where it
/// has any. Arrivals that a coarse clock has stamped alike are spread evenly at random inside their tick, always the
/// same way; rows keep their order, since the log tells no other. Pure.
RecordedTimes timesOf(const Trace& trace);

} // namespace tailmark
