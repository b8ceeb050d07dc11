// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/rng.h"
#include "plan/matrix.h"

#include <cstdint>

namespace tailmark {

/// A process of arrivals in operational time, in which one arrival is due on average in every unit: a stationary
/// renewal process with the gaps of its kind, or evenly spaced ones. Recorded arrivals come from a log instead
/// (recorded_arrivals.h). One thread; the same numbers for the same seed.
class UnitArrivals
{
public:
    /// `cv`: of the gaps, for gamma and Weibull.
    UnitArrivals(ArrivalProcess process, double cv, std::uint64_t seed);

    /// Where the arrival after the one last returned lies.
    double next();

private:
    double gap();
    double firstGap();

    ArrivalProcess m_process;
    Rng m_rng;
    double m_shape = 1, m_scale = 1;
    double m_at = 0;
    std::uint64_t m_number = 0;
};

/// The shape k of a Weibull distribution with this coefficient of variation: the root of
/// CV² = Γ(1 + 2/k) / Γ(1 + 1/k)² − 1, which falls as k rises, by bisection.
/// CV 1 is k = 1, the exponential distribution; burstier gaps have a smaller k.
double weibullShape(double cv);

} // namespace tailmark
