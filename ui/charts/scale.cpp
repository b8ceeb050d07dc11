// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/scale.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace tailmark::ui {

namespace {

constexpr double kSmallestLog = 1e-9;
constexpr double kLargest = 1e12;

double forward(const Scale& s, double v)
{
    return s.log ? std::log10(v) : v;
}

/// The smallest of 1, 2, 5 × 10^k that is not below `rough`.
double niceStep(double rough)
{
    const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
    for (double m : {1.0, 2.0, 5.0})
        if (m * magnitude >= rough * (1 - 1e-9))
            return m * magnitude;
    return 10 * magnitude;
}

QList<double> linearTicks(double min, double max, int atMost)
{
    QList<double> found;
    const double step = niceStep((max - min) / std::max(1, atMost));
    if (!(step > 0) || !std::isfinite(step))
        return found;
    const double slack = step * 1e-6;
    for (double k = std::ceil((min - slack) / step); k * step <= max + slack && found.size() <= atMost; ++k)
        found.append(k * step);
    return found;
}

} // namespace

double Scale::unit(double v) const
{
    return (forward(*this, v) - forward(*this, min)) / (forward(*this, max) - forward(*this, min));
}

double Scale::value(double unit) const
{
    const double t = forward(*this, min) + unit * (forward(*this, max) - forward(*this, min));
    return log ? std::pow(10.0, t) : t;
}

bool Scale::canShow(double v) const
{
    return std::isfinite(v) && (!log || v > 0);
}

Scale Scale::zoomed(double factor, double anchorUnit) const
{
    const double a = forward(*this, min), b = forward(*this, max);
    const double anchor = a + anchorUnit * (b - a);
    double low = anchor - (anchor - a) * factor, high = anchor + (b - anchor) * factor;
    const double span = high - low;
    if (log) {
        if (span < 0.02 || span > 15 || low < std::log10(kSmallestLog) || high > std::log10(kLargest))
            return *this;
        return {std::pow(10.0, low), std::pow(10.0, high), true};
    }
    const double size = std::max({std::fabs(low), std::fabs(high), 1e-6});
    if (span < size * 1e-6 || size > kLargest)
        return *this;
    return {low, high, false};
}

Scale Scale::panned(double units) const
{
    Scale moved{value(units), value(1 + units), log};
    if (std::max(std::fabs(moved.min), std::fabs(moved.max)) > kLargest || (log && moved.min < kSmallestLog))
        return *this;
    return moved;
}

Scale fitScale(double low, double high, bool log, double roomBelow, double roomAbove)
{
    if (!std::isfinite(low) || !std::isfinite(high) || high < low || (log && low <= 0))
        return log ? Scale{1, 1000, true} : Scale{0, 1, false};
    if (log) {
        double a = std::log10(low), b = std::log10(high);
        if (b - a < 0.3) {
            const double middle = (a + b) / 2;
            a = middle - 0.15;
            b = middle + 0.15;
        }
        const double span = b - a;
        return {std::pow(10.0, a - roomBelow * span), std::pow(10.0, b + roomAbove * span), true};
    }
    double span = high - low;
    if (span <= 0) {
        span = high != 0 ? std::fabs(high) : 1;
        high = low + span / 2;
        low -= span / 2;
    }
    return {low - roomBelow * span, high + roomAbove * span, false};
}

QList<double> ticks(const Scale& scale, int atMost)
{
    atMost = std::max(2, atMost);
    if (!scale.log)
        return linearTicks(scale.min, scale.max, atMost);
    const int first = static_cast<int>(std::floor(std::log10(scale.min)));
    const int last = static_cast<int>(std::ceil(std::log10(scale.max)));
    const auto at = [&](std::initializer_list<double> factors, int stride) {
        QList<double> found;
        for (int k = first; k <= last; k += stride)
            for (double f : factors) {
                const double v = f * std::pow(10.0, k);
                if (v >= scale.min * (1 - 1e-9) && v <= scale.max * (1 + 1e-9))
                    found.append(v);
            }
        return found;
    };
    QList<double> found = at({1, 2, 5}, 1);
    if (found.size() < 3)
        return linearTicks(scale.min, scale.max, std::min(atMost, 6));
    for (int stride = 1; found.size() > atMost; ++stride)
        found = at({1}, stride);
    return found;
}

} // namespace tailmark::ui
