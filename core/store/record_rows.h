// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"
#include "store/sqlite.h"

#include <cstdint>
#include <string>

namespace tailmark {

// How a record is laid out in the table `records` (schema.cpp); the one place that knows the order of its
// columns.

/// "INSERT INTO records (…) VALUES (…)".
const std::string& insertRecordSql();
/// "SELECT … FROM records WHERE point = ? ORDER BY id"; without chunks the last column is left out.
std::string selectRecordsSql(bool withChunks);

/// Binds one record of `batch`; the batch must outlive the step.
void bindRecord(sqlite::Statement& statement, std::int64_t pointRow, const RecordBatch& batch,
                const RequestRecord& record);
/// Appends the row to `batch`, its chunks and error text included.
void appendRow(const sqlite::Statement& row, bool withChunks, RecordBatch& batch);

} // namespace tailmark
