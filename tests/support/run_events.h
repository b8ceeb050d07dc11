// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run_event.h"

#include <QByteArray>

#include <nlohmann/json.hpp>

namespace tailmark::test {

inline QByteArray eventLine(const RunEvent& event)
{
    return QByteArray::fromStdString(eventToJson(event).dump()) + '\n';
}

inline RunStarted someRun(int points = 2)
{
    RunStarted event;
    event.run = RunId{7};
    event.name = "A run";
    event.database = "runs.sqlite";
    event.points = points;
    event.estimatedS = 60;
    event.target = "http://127.0.0.1:1/v1";
    event.engine = "sim";
    event.model = "m";
    return event;
}

inline PointStarted somePoint(int index)
{
    PointStarted event;
    event.point = PointIndex{index};
    event.test = "concurrency_sweep";
    event.load = {LoadAxis::Concurrency, 8};
    return event;
}

inline Progress someProgress(int point, double remainingS)
{
    Progress event;
    event.point = PointIndex{point};
    event.remainingS = remainingS;
    event.sendLagP99Ms = 0.4;
    event.cpuCores = 0.25;
    return event;
}

} // namespace tailmark::test
