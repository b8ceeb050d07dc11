// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "report/svg.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tailmark {

/// A level on the frontier.
struct FrontierMark
{
    const CurveLevel* level;
    double x, y;
    std::optional<Interval> interval; ///< of y
};

/// What the frontier shows upwards: the limit that decides, or the headline latency.
struct ShownLatency
{
    std::optional<SloLimit> limit;
    std::size_t constraint = 0;
    std::string title;
};

ShownLatency shownLatency(const Curve& curve, const OperatingPoint& op);
/// The levels that have both values.
std::vector<FrontierMark> frontierMarks(const Curve& curve, const ShownLatency& shown,
                                        std::span<const PointSummary> points);

/// The plane of a frontier, wide enough for the marks and for `furthest` tok/s: throughput to the right, latency upwards.
class FrontierFrame
{
public:
    FrontierFrame(const ShownLatency& shown, std::span<const FrontierMark> marks, const std::string& title,
                  double furthest = 0);

    double x(double tokensPerS) const { return m_x.at(tokensPerS); }
    double y(double latency) const { return m_y.at(latency); }
    double top() const;
    double bottom() const;
    double right() const;
    SvgWriter& svg() { return m_svg; }

    void drawAxes();
    void drawLimit();
    void drawWhisker(const FrontierMark& mark);
    /// Between two levels the values run in a straight line, which a logarithmic axis bends; in short steps, so that a
    /// crossing lies on it. Levels that may not be believed are left out.
    std::vector<std::pair<double, double>> lineThrough(std::span<const FrontierMark> marks) const;

private:
    ShownLatency m_shown;
    SvgAxis m_x, m_y;
    SvgWriter m_svg;
};

} // namespace tailmark
