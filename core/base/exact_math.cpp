// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/exact_math.h"

#include <cmath>
#include <cstddef>

namespace tailmark {

namespace {

// std::frexp, std::ldexp, std::floor and std::sqrt are exact, or rounded as IEEE 754 says.

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

constexpr double kCentreAbove[] = { // from the highest power down
    2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
    4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
    1.3314166789178437745e+2, 3.3871328727963666080e+0};
constexpr double kCentreBelow[] = {
    5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
    2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
    4.2313330701600911252e+1, 1.0};
constexpr double kTailAbove[] = { // from the highest power down
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
    4.63033784615654529590e+0, 1.42343711074968357734e+0};
constexpr double kTailBelow[] = {
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
    1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
    2.05319162663775882187e+0, 1.0};
constexpr double kFarTailAbove[] = { // from the highest power down
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
    2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
    5.46378491116411436990e+0, 6.65790464350110377720e+0};
constexpr double kFarTailBelow[] = {
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
    7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
    5.99832206555887937690e-1, 1.0};

template <std::size_t N> double polynomial(const double (&coefficients)[N], double x)
{
    double value = 0;
    for (const double coefficient : coefficients)
        value = value * x + coefficient;
    return value;
}

} // namespace

double exactLog(double x)
{
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < kSqrtHalf) {
        m *= 2;
        --exponent;
    }
    // ln m = 2 (s + s³/3 + s⁵/5 + …)
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * kLn2 + 2 * s * sum;
}

double exactExp(double x)
{
    const double twos = std::floor(x / kLn2 + 0.5);
    const double rest = (x - twos * kLn2High) - twos * kLn2Low;
    double sum = 1;
    for (int k = 16; k >= 1; --k)
        sum = 1 + sum * rest / k;
    return std::ldexp(sum, static_cast<int>(twos));
}

double exactSin(double x)
{
    const double square = x * x;
    double sum = 1;
    for (int k = 20; k >= 2; k -= 2)
        sum = 1 - sum * square / (k * (k + 1));
    return x * sum;
}

double exactNormalQuantile(double p)
{
    const double q = p - 0.5;
    if (std::fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(kCentreAbove, r) / polynomial(kCentreBelow, r);
    }
    const double r = std::sqrt(-exactLog(q < 0 ? p : 1 - p));
    const double z = r <= 5 ? polynomial(kTailAbove, r - 1.6) / polynomial(kTailBelow, r - 1.6)
                            : polynomial(kFarTailAbove, r - 5) / polynomial(kFarTailBelow, r - 5);
    return q < 0 ? -z : z;
}

} // namespace tailmark
