// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tailmark {

// Functions with the same result on every machine, so that what is drawn from a seed is the same everywhere: a
// mathematics library may differ in the last bit from another, and a length that is rounded then in one token.
// Made of +, −, ×, ÷ and the square root alone, each of which IEEE 754 rounds in one way; their file is compiled
// without fused multiply-add. Good to about 1e-15 of the value.

double exactLog(double x); ///< natural; x > 0 and finite
double exactExp(double x); ///< −700 to 700
double exactSin(double x); ///< −1 to 1
/// z with Φ(z) = p, 0 < p < 1 (Wichura, algorithm AS 241, Applied Statistics 37, 1988).
double exactNormalQuantile(double p);

} // namespace tailmark
