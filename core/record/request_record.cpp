// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/request_record.h"

#include <array>

namespace tailmark {

std::string_view stampSourceId(StampSource source)
{
    static constexpr std::array<std::string_view, 3> ids = {"kernel", "readiness", "processing"};
    return ids[static_cast<std::size_t>(source)];
}

void RecordBatch::clear()
{
    records.clear();
    chunks.clear();
    errors.clear();
}

void RecordBatch::append(const RecordBatch& other)
{
    const auto chunkShift = static_cast<std::uint32_t>(chunks.size());
    const auto errorShift = static_cast<std::int32_t>(errors.size());
    chunks.insert(chunks.end(), other.chunks.begin(), other.chunks.end());
    errors.insert(errors.end(), other.errors.begin(), other.errors.end());
    records.reserve(records.size() + other.records.size());
    for (RequestRecord r : other.records) {
        r.chunkBegin += chunkShift;
        if (r.error >= 0)
            r.error += errorShift;
        records.push_back(r);
    }
}

} // namespace tailmark
