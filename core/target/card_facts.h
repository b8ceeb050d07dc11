// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_card.h"
#include "target/engine_profiles.h"
#include "target/info_documents.h"

namespace tailmark {

/// Fills the card with what the engine tells of itself, each entry with the place where it stood, and marks
/// the flags that are not at the engine's default. Returns the longest context of one request in tokens, 0
/// where it is not told. Secrets are hidden; a long text is cut and has the sum of the whole behind it, so
/// that two cards still show whether it is the same.
int readCard(RunCard& card, const EngineProfile& profile, InfoDocuments& documents);

} // namespace tailmark
