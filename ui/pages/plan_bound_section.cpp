// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_bound_section.h"

#include "models/format.h"
#include "plan/bound_tables.h"
#include "style/theme.h"

#include <QLabel>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

PlanBoundSection::PlanBoundSection(PlanDocument& document, QWidget* parent)
    : PlanSection(tr("Bandwidth bound"), document, parent), m_words(new QLabel(this))
{
    PlanForm* form = addForm(4);
    form->setPathPrefix("bound");
    std::vector<IdChoice> devices{{"", tr("not in the table"), {}}};
    for (const Accelerator& each : accelerators())
        devices.push_back({each.id, QString::fromStdString(each.name), {}});
    form->addIdChoice(
        "accelerator", tr("&Accelerator"), devices, [](auto& m) -> auto& { return m.bound.accelerator; },
        tr("Its bandwidth and arithmetic stand for what is left empty below"), 2);
    std::vector<IdChoice> models{{"", tr("not in the table"), {}}};
    for (const ServedModel& each : servedModels())
        models.push_back({each.id, QString::fromStdString(each.name), {}});
    form->addIdChoice(
        "model", tr("Mo&del"), models, [](auto& m) -> auto& { return m.bound.model; },
        tr("Its parameters, experts and keys and values stand for what is left empty below"), 2);
    form->addNumber(
        "devices", tr("Devices"), {}, [](auto& m) -> auto& { return m.bound.devices; },
        tr("How many serve the model together"));
    addFigure(form, "bandwidth_gb_per_s", tr("Memory bandwidth"), tr("GB/s"), &BoundInput::bandwidthGbPerS,
              &BoundFigures::bandwidthGbPerS, tr("Of one device"));
    addFigure(form, "peak_tflops", tr("Peak compute"), tr("TFLOP/s"), &BoundInput::peakTflops,
              &BoundFigures::peakTflops, tr("Of one device, dense, for the width of the weights"));
    addFigure(form, "bytes_per_param", tr("Bytes per parameter"), {}, &BoundInput::bytesPerParam,
              &BoundFigures::bytesPerParam,
              tr("2 for BF16, 1 for FP8, 0.56 for FP4; empty or 0 takes what stands there in grey"));

    PlanForm* more = addFoldedForm(tr("Parameters, experts, keys and values"), 3);
    more->setPathPrefix("bound");
    addFigure(more, "active_params", tr("Active parameters"), {}, &BoundInput::activeParams,
              &BoundFigures::activeParams,
              tr("Parameters that one token passes through, for example 8000000000"));
    addFigure(more, "kv_bytes_per_token", tr("KV cache per token"), tr("bytes"), &BoundInput::kvBytesPerToken,
              &BoundFigures::kvBytesPerToken, tr("Keys and values kept of one token, all layers together"));
    addFigure(more, "expert_params", tr("Parameters in experts"), {}, &BoundInput::expertParams,
              &BoundFigures::expertParams,
              tr("Of all routed experts of all layers; of a mixture of experts only"));
    more->addNumber(
        "experts", tr("Experts"), {}, [](auto& m) -> auto& { return m.bound.experts; },
        tr("Per layer; 0 takes the table's, or a dense model"));
    more->addNumber(
        "experts_per_token", tr("Experts per token"), {},
        [](auto& m) -> auto& { return m.bound.expertsPerToken; }, tr("Per layer; 0 takes the table's"));

    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setRole(m_words, u"secondary"_s);
    body()->addWidget(m_words);
    connect(&document, &PlanDocument::changed, this, &PlanBoundSection::showLookedUp);
    setSummary([](const Matrix& matrix) {
        const BoundFigures figures = boundFigures(matrix.bound);
        if (!figures.known())
            return tr("not stated");
        QStringList names;
        for (const std::string& name : {figures.model, figures.accelerator})
            if (!name.empty())
                names << QString::fromStdString(name);
        return names.isEmpty() ? tr("stated") : names.join(u", "_s);
    });
}

void PlanBoundSection::addFigure(PlanForm* form, const std::string& path, const QString& label,
                                 const QString& unit, double BoundInput::*member,
                                 double BoundFigures::*looked, const QString& help)
{
    PlanLineEdit* field = form->addText(
        path, label,
        [member](const Matrix& m) {
            return m.bound.*member == 0 ? QString() : formatEditable(m.bound.*member);
        },
        [member](Matrix& m, const QString& text) {
            if (!text.trimmed().isEmpty())
                return decimalFromText(text, m.bound.*member);
            m.bound.*member = 0;
            return QString();
        },
        help);
    field->setUnit(unit);
    m_figures.push_back({field, looked});
}

void PlanBoundSection::showLookedUp()
{
    BoundInput named = document().matrix().bound;
    const BoundFigures figures = boundFigures(named);
    for (const Figure& each : m_figures) {
        const double value = figures.*each.looked;
        each.field->setPlaceholderText(value > 0 ? formatNumber(value, 4) : tr("not stated"));
    }
    const auto stream = bandwidthBound(figures, 1, 0);
    QStringList lines;
    if (stream)
        lines << tr("One stream alone: at most %1 tok/s.").arg(formatNumber(*stream, 3));
    if (const auto batch = balancedBatch(figures))
        lines << tr("From a batch of about %1 on, arithmetic binds and not the memory.")
                     .arg(formatNumber(*batch, 3));
    if (const auto compute = computeBound(figures))
        lines << tr("Arithmetic allows at most %1 tok/s.").arg(formatNumber(*compute, 3));
    for (const std::string& assumption : figures.assumptions)
        lines << tr("Taken: %1.").arg(QString::fromStdString(assumption));
    m_words->setText(stream ? lines.join(u' ') : QString());
    m_words->setVisible(stream.has_value());
}

} // namespace tailmark::ui
