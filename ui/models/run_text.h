// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"
#include "store/store.h"

#include <QString>

namespace tailmark::ui {

// What identifies a run, in one line each.

/// Engine, version, model, quantization, hardware: what is known of it.
QString systemLine(const RunCard& card);
/// Lengths, cache initialisation, stopping policy and failure denominator, warm-up and window.
QString workloadLine(const Matrix& matrix);
/// All entries of the card with where they come from.
Table cardTable(const RunCard& card);

} // namespace tailmark::ui
