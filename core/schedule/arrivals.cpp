// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/arrivals.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/uniform_01.hpp>

namespace tailmark {

namespace {

/// A stationary renewal process with mean gap 1: where its arrivals lie in operational time.
class UnitArrivals
{
public:
    explicit UnitArrivals(const PointPlan& point)
        : m_process(point.process), m_rng(point.seeds.arrivals), m_scale(point.cv * point.cv),
          m_shape(1 / m_scale)
    {
    }

    /// The arrival after the one last returned.
    double next()
    {
        const std::uint64_t number = m_number++;
        switch (m_process) {
        case ArrivalProcess::Constant:
            return static_cast<double>(number); // from its number, so that nothing adds up
        case ArrivalProcess::Poisson:
            m_at += boost::random::exponential_distribution<double>()(m_rng);
            break;
        case ArrivalProcess::Gamma:
            m_at += number == 0 ? residual() : gap(m_shape);
            break;
        }
        return m_at;
    }

private:
    double gap(double shape) { return boost::random::gamma_distribution<double>(shape, m_scale)(m_rng); }

    /// The wait from an arbitrary moment to the next arrival: a uniform part of a gap picked in proportion to
    /// its length, which for gamma gaps is gamma with shape + 1. A full gap here would make the mean rate
    /// wrong by (CV² − 1) / 2 arrivals.
    double residual() { return boost::random::uniform_01<double>()(m_rng) * gap(m_shape + 1); }

    ArrivalProcess m_process;
    Rng m_rng;
    double m_scale, m_shape;
    double m_at = 0;
    std::uint64_t m_number = 0;
};

} // namespace

std::vector<Arrival> makeArrivals(const PointPlan& point)
{
    std::vector<Arrival> arrivals;
    const double expected = expectedRequests(point).value_or(0);
    arrivals.reserve(static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 1));

    // Operational time: the expected number of arrivals so far. A phase covers rate × duration of it.
    UnitArrivals unit(point);
    double at = unit.next();
    double phaseStart = 0, phaseStartS = 0;
    for (std::size_t phase = 0; phase < point.phases.size(); ++phase) {
        const double rate = point.phases[phase].ratePerS;
        const double phaseEnd = phaseStart + rate * point.phases[phase].durationS;
        // 0.1/s × 30 s is a little above 3 in binary, and makes three arrivals all the same.
        for (; at < phaseEnd - 1e-9; at = unit.next()) {
            if (point.maxRequests > 0 && arrivals.size() >= static_cast<std::size_t>(point.maxRequests))
                return arrivals;
            const double seconds = phaseStartS + std::max(0.0, at - phaseStart) / rate;
            arrivals.push_back({fromSeconds(seconds), static_cast<std::uint8_t>(phase)});
        }
        phaseStart = phaseEnd;
        phaseStartS += point.phases[phase].durationS;
    }
    return arrivals;
}

Nanoseconds thinkTime(const PointPlan& point, std::uint32_t request)
{
    // The first request of each worker starts without a pause.
    if (point.thinkTimeS <= 0 || request < static_cast<std::uint32_t>(point.concurrency))
        return Nanoseconds{0};
    if (point.thinkTime == ThinkTime::Constant)
        return fromSeconds(point.thinkTimeS);
    const std::uint64_t bits = deriveSeed(point.seeds.thinkTimes, request);
    const double uniform = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; // inside (0, 1)
    return fromSeconds(-std::log(uniform) * point.thinkTimeS);
}

} // namespace tailmark
