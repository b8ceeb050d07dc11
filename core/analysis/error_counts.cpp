// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/error_counts.h"

#include "analysis/text.h"

#include <algorithm>

namespace tailmark {

namespace {

/// Every run of digits becomes one '#'.
std::string withoutNumbers(std::string_view text)
{
    std::string plain;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit)
            plain += c;
        else if (!plain.ends_with('#'))
            plain += '#';
    }
    return plain;
}

} // namespace

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
        const std::string kind = text + ' ' + status + ' ' + withoutNumbers(error);
        if (!error.empty())
            text += ": " + std::string(error);
        Reason& reason = m_reasons[kind];
        if (reason.count++ == 0)
            reason.text = std::move(text);
    }
}

std::vector<std::string> ErrorCounts::lines() const
{
    constexpr std::size_t kMost = 5;
    std::vector<Reason> sorted;
    for (const auto& [kind, reason] : m_reasons)
        sorted.push_back(reason);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Reason& a, const Reason& b) { return a.count > b.count; });
    sorted.resize(std::min(sorted.size(), kMost));
    std::vector<std::string> lines;
    for (const Reason& reason : sorted)
        lines.push_back(countText(reason.count) + " × " + reason.text);
    return lines;
}

} // namespace tailmark
