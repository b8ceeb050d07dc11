// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/log_replay.h"

#include "schedule/arrivals.h"
#include "workload/log_times.h"
#include "workload/prompt.h"

namespace tailmark {

Result<std::vector<std::string>> checkReplays(Plan& plan, const std::vector<ReadLengths>& lengths)
{
    std::vector<std::string> remarks;
    for (const ReadLengths& read : lengths) {
        std::vector<PointPlan*> replays;
        for (PointPlan& point : plan.points)
            if (replaysLog(point) && point.lengths == read.lengths)
                replays.push_back(&point);
        if (replays.empty())
            continue;
        const std::string log =
            read.lengths.file.empty() ? "the log " + read.lengths.hash.substr(0, 12) + "…" : read.lengths.file;
        const RecordedTimes times = read.log ? timesOf(*read.log) : RecordedTimes();
        std::vector<PointPlan> points;
        for (const PointPlan* point : replays) {
            if (Status status = checkLog(*point, &times, log); !status)
                return status.error();
            points.push_back(*point);
        }
        for (std::string& remark : recordedRemarks(points, times, log))
            remarks.push_back(std::move(remark));
        for (PointPlan* point : replays)
            *point = atOwnRate(*point, times);
    }
    return remarks;
}

} // namespace tailmark
