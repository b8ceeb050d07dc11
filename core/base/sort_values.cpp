// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sort_values.h"

#include <algorithm>

#include <boost/sort/spreadsort/float_sort.hpp>

namespace tailmark {

void sortValues(std::vector<double>& values)
{
    if (!std::is_sorted(values.begin(), values.end()))
        boost::sort::spreadsort::float_sort(values.begin(), values.end());
}

} // namespace tailmark
