// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sort_values.h"

#include <algorithm>
#include <cmath>

#include <boost/sort/spreadsort/float_sort.hpp>

namespace tailmark {

void sortValues(std::vector<double>& values)
{
    if (std::is_sorted(values.begin(), values.end()))
        return;
    // Each sign for itself: the bits of both together span more than the library's signed difference holds.
    const auto positive = std::partition(values.begin(), values.end(), [](double value) { return std::signbit(value); });
    boost::sort::spreadsort::float_sort(values.begin(), positive);
    boost::sort::spreadsort::float_sort(positive, values.end());
}

} // namespace tailmark
