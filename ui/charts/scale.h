// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

namespace tailmark::ui {

/// One axis of a chart: what part of the values is in view, and how they lie on it. The only mapping there
/// is: lines, grid, marks, hit tests and exports all use it, so that they cannot disagree. `unit` 0 is the
/// axis's begin, 1 its end.
struct Scale
{
    double min = 0;
    double max = 1;
    bool log = false;

    double unit(double value) const;
    double value(double unit) const;
    /// Finite, and positive on a logarithmic axis: such a value has a place on the axis (perhaps out of
    /// view).
    bool canShow(double value) const;

    /// Zoomed by `factor` (< 1 = closer) about the place `anchor`; the span stays within sane bounds.
    Scale zoomed(double factor, double anchorUnit) const;
    Scale panned(double units) const;
    bool operator==(const Scale&) const = default;
};

/// A scale that shows [low, high] with some room (a share of the span at each end); a logarithmic one from
/// positive values only. An empty or wrong range gives a scale that can be drawn all the same.
Scale fitScale(double low, double high, bool log, double roomBelow, double roomAbove);

/// 1-2-5 ticks in view, at most `atMost`; on a logarithmic axis whole decades where 1-2-5 would be too many,
/// and linear steps where the view is narrower than that.
QList<double> ticks(const Scale& scale, int atMost);

} // namespace tailmark::ui
