// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tailmark {

/// Why requests failed, in words, and how often: of a point or, added up, of a run.
class ErrorCounts
{
public:
    void add(const RecordBatch& batch);
    /// The up to five most frequent: "99 × client_error, HTTP 404: model not found".
    std::vector<std::string> lines() const;

private:
    std::map<std::string, std::size_t> m_counts;
};

} // namespace tailmark
