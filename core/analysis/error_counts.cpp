// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/error_counts.h"

#include "analysis/text.h"

#include <algorithm>
#include <utility>

namespace tailmark {

void ErrorCounts::add(const RecordBatch& batch)
{
    for (const RequestRecord& r : batch.records) {
        if (r.outcome == Outcome::Completed || r.outcome == Outcome::Cancelled)
            continue;
        std::string text(outcomeId(r.outcome));
        const std::string_view error = batch.errorOf(r);
        const std::string status = "HTTP " + std::to_string(r.httpStatus);
        if (r.httpStatus != 0 && r.httpStatus != 200 && !error.starts_with(status))
            text += ", " + status;
        if (!error.empty())
            text += ": " + std::string(error);
        ++m_counts[text];
    }
}

std::vector<std::string> ErrorCounts::lines() const
{
    constexpr std::size_t kMost = 5;
    std::vector<std::pair<std::string, std::size_t>> sorted(m_counts.begin(), m_counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    sorted.resize(std::min(sorted.size(), kMost));
    std::vector<std::string> lines;
    for (const auto& [text, count] : sorted)
        lines.push_back(countText(count) + " × " + text);
    return lines;
}

} // namespace tailmark
