// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "store/sqlite.h"

namespace tailmark {

/// The version that this program reads and writes: `PRAGMA user_version`, the number of migrations applied.
int schemaVersion();

/// A database of ours that an older version of the program wrote.
bool isOutdated(const sqlite::Connection& connection);

/// Checks that the file is ours and not newer than we are. With `mayWrite` brings it up to date (creates it
/// when empty), each step in its own transaction. Without, an older or empty file is an error.
Status prepareSchema(sqlite::Connection& connection, bool mayWrite);

} // namespace tailmark
