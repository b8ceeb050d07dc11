// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

namespace tailmark::ui {

// The sections of the Plan page that are nothing but fields.

/// How each point is measured: warm-up, window, repeats, order, pauses, failure denominator.
PlanSection* makeMeasurementSection(PlanDocument& document, QWidget* parent);
/// When a request counts as failed.
PlanSection* makeLimitsSection(PlanDocument& document, QWidget* parent);

} // namespace tailmark::ui
