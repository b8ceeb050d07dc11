// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_card_section.h"

#include "bridge/target_prober.h"
#include "pages/plan_card_fields.h"

namespace tailmark::ui {

PlanCardSection::PlanCardSection(PlanDocument& document, const TargetProber& prober, QWidget* parent)
    : PlanSection(tr("Run card"), document, parent)
{
    PlanForm* form = addForm(2);
    form->setPathPrefix("card");
    const CardFields fields = addCardFields(*form, {Side::A});
    setSummary([](const Matrix& matrix) {
        const qsizetype typed = static_cast<qsizetype>(matrix.card.entries.size() + matrix.card.flags.size());
        return typed == 0 ? tr("read by the probe; nothing typed")
                          : tr("%n typed", nullptr, static_cast<int>(typed));
    });
    const auto showRead = [fields, &prober] { showReadCard(fields, prober.result()); };
    connect(&prober, &TargetProber::changed, this, showRead);
    showRead();
}

} // namespace tailmark::ui
