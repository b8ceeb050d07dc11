// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

namespace tailmark::ui {

class TargetProber;

/// What identifies the system under test: typed here, and read from the target where it tells.
class PlanCardSection : public PlanSection
{
    Q_OBJECT

public:
    PlanCardSection(PlanDocument& document, const TargetProber& prober, QWidget* parent = nullptr);
};

} // namespace tailmark::ui
