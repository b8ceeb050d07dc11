// SPDX-License-Identifier: GPL-3.0-or-later
// An exposition of counters: each line is taken as the format says or not at all, and what was taken, written
// again, reads the same.
#include "fuzz.h"
#include "target/prometheus.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace tailmark;

namespace {

std::string written(const PrometheusSample& sample)
{
    char value[40];
    std::snprintf(value, sizeof value, "%.17g", sample.value);
    std::string line(sample.name);
    if (!sample.labels.empty())
        line += '{' + std::string(sample.labels) + '}';
    line += ' ';
    line += std::isnan(sample.value) ? "NaN" : std::isinf(sample.value) ? (sample.value > 0 ? "+Inf" : "-Inf") : value;
    if (sample.timestampMs)
        line += ' ' + std::to_string(*sample.timestampMs);
    return line + '\n';
}

bool same(const PrometheusSample& a, const PrometheusSample& b)
{
    return a.name == b.name && a.labels == b.labels && a.timestampMs == b.timestampMs &&
           (a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::vector<char> block(data, data + size);
    const std::string_view text(block.data(), block.size());
    PrometheusReader reader(text);
    std::vector<PrometheusSample> samples;
    std::string again;
    while (const auto sample = reader.next()) {
        FUZZ_CHECK(!sample->name.empty());
        sample->label("le");
        samples.push_back(*sample);
        again += written(*sample);
    }
    FUZZ_CHECK(!reader.next());
    FUZZ_CHECK((reader.malformedLines() > 0) == !reader.firstError().empty());
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    FUZZ_CHECK(samples.size() + reader.malformedLines() <= lines + 1);

    PrometheusReader second(again);
    for (const PrometheusSample& sample : samples) {
        const auto copy = second.next();
        FUZZ_CHECK(copy && same(*copy, sample));
    }
    FUZZ_CHECK(!second.next() && second.malformedLines() == 0);
    return 0;
}
