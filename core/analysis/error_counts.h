// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tailmark {

/// Why requests failed, in words, and how often: of a point or, added up, of a run. Reasons of one outcome and
/// HTTP status that differ in nothing but numbers ("request (3008 tokens) exceeds …") are one reason, shown as it
/// came first.
class ErrorCounts
{
public:
    void add(const RecordBatch& batch);
    /// The up to five most frequent: "99 × client_error, HTTP 404: model not found".
    std::vector<std::string> lines() const;

private:
    struct Reason
    {
        std::string text;
        std::size_t count = 0;
    };
    std::map<std::string, Reason> m_reasons; ///< by outcome, status and text without its numbers
};

} // namespace tailmark
