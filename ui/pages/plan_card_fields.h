// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"
#include "pages/plan_matrix_side.h"
#include "target/probe.h"

#include <map>
#include <optional>
#include <string>

namespace tailmark::ui {

/// By the keys of the card.
using CardFields = std::map<std::string, PlanLineEdit*>;

/// Adds what identifies a system under test to the form, which is about a card (its path prefix).
CardFields addCardFields(PlanForm& form, MatrixSide side);
/// A value that the target told stands in the empty field as its placeholder, with the mark; a typed one
/// keeps its place.
void showReadCard(const CardFields& fields, const std::optional<ProbeResult>& probed);

} // namespace tailmark::ui
