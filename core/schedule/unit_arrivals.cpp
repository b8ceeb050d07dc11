// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/unit_arrivals.h"

#include <cmath>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/uniform_01.hpp>

namespace tailmark {

namespace {

/// CV² of a Weibull distribution with shape 1/x, by logarithms, since the gamma functions of a small shape are
/// beyond all numbers.
double weibullCvSquared(double x)
{
    return std::expm1(boost::math::lgamma(1 + 2 * x) - 2 * boost::math::lgamma(1 + x));
}

} // namespace

double weibullShape(double cv)
{
    double low = std::log(1e-7), high = std::log(100.0); // of 1/k; the CV rises with it
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (weibullCvSquared(std::exp(middle)) < cv * cv ? low : high) = middle;
    }
    return std::exp(-(low + high) / 2);
}

UnitArrivals::UnitArrivals(ArrivalProcess process, double cv, std::uint64_t seed)
    : m_process(process), m_rng(seed)
{
    if (process == ArrivalProcess::Gamma) {
        m_scale = cv * cv;
        m_shape = 1 / m_scale;
    } else if (process == ArrivalProcess::Weibull) {
        m_shape = weibullShape(cv);
        m_scale = 1 / std::exp(boost::math::lgamma(1 + 1 / m_shape));
    }
}

double UnitArrivals::next()
{
    const std::uint64_t number = m_number++;
    if (m_process == ArrivalProcess::Constant)
        return static_cast<double>(number); // from its number, so that nothing adds up
    m_at += number == 0 ? firstGap() : gap();
    return m_at;
}

double UnitArrivals::gap()
{
    switch (m_process) {
    case ArrivalProcess::Gamma:
        return boost::random::gamma_distribution<double>(m_shape, m_scale)(m_rng);
    case ArrivalProcess::Weibull:
        return m_scale * std::pow(boost::random::exponential_distribution<double>()(m_rng), 1 / m_shape);
    default:
        return boost::random::exponential_distribution<double>()(m_rng);
    }
}

/// The wait from an arbitrary moment to the next arrival: a uniform part of a gap picked in proportion to its
/// length. A full gap here would make the mean number of arrivals wrong by (CV² − 1) / 2. Picked so, a gamma gap is
/// gamma with shape + 1; of a Weibull gap it is (gap / scale)^k that is gamma, with shape 1 + 1/k.
double UnitArrivals::firstGap()
{
    using boost::random::gamma_distribution;
    double picked = 0;
    switch (m_process) {
    case ArrivalProcess::Gamma:
        picked = gamma_distribution<double>(m_shape + 1, m_scale)(m_rng);
        break;
    case ArrivalProcess::Weibull:
        picked = m_scale * std::pow(gamma_distribution<double>(1 + 1 / m_shape)(m_rng), 1 / m_shape);
        break;
    default:
        return gap(); // exponential: the wait is a gap itself
    }
    return boost::random::uniform_01<double>()(m_rng) * picked;
}

} // namespace tailmark
