// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_card_section.h"

#include "bridge/target_prober.h"
#include "pages/plan_json_field.h"
#include "record/run_card.h"

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kMostAccelerators = 1'000'000;

QString entryTitle(const std::string& key)
{
    static const std::map<std::string, QString> titles = {
        {"engine", PlanCardSection::tr("Engine")},
        {"engine_version", PlanCardSection::tr("Engine version")},
        {"model", PlanCardSection::tr("Model")},
        {"model_revision", PlanCardSection::tr("Model revision")},
        {"quantization", PlanCardSection::tr("Quantization")},
        {"tokenizer", PlanCardSection::tr("Tokenizer")},
        {"chat_template", PlanCardSection::tr("Chat template")},
        {"accelerator", PlanCardSection::tr("Accelerator")},
        {"accelerator_count", PlanCardSection::tr("Accelerators")},
        {"parallelism", PlanCardSection::tr("Parallelism")},
        {"notes", PlanCardSection::tr("Notes")},
    };
    const auto it = titles.find(key);
    return it == titles.end() ? QString::fromStdString(key) : it->second;
}

} // namespace

PlanCardSection::PlanCardSection(PlanDocument& document, const TargetProber& prober, QWidget* parent)
    : PlanSection(tr("Run card"), document, parent), m_prober(prober)
{
    PlanForm* form = addForm(2);
    form->setPathPrefix("card");
    for (const std::string& key : RunCard::fixedKeys()) {
        m_fields[key] = form->addText(
            key, entryTitle(key),
            [key](const Matrix& matrix) {
                const auto it = matrix.card.entries.find(key);
                return it == matrix.card.entries.end() ? QString() : QString::fromStdString(it->second);
            },
            [key](Matrix& matrix, const QString& text) {
                if (qint64 count = 0; key == "accelerator_count" && !text.trimmed().isEmpty())
                    if (const QString problem = wholeNumberFromText(text, 1, kMostAccelerators, count);
                        !problem.isEmpty())
                        return problem;
                if (text.trimmed().isEmpty())
                    matrix.card.entries.erase(key);
                else
                    matrix.card.entries[key] = text.trimmed().toStdString();
                return QString();
            },
            tr("Typed here; what the target tells of itself wins over it"), key == "notes" ? 2 : 1);
    }
    form->addText(
        "flags", tr("Flags that differ from the default"),
        [](const Matrix& matrix) { return jsonFieldText(nlohmann::json(matrix.card.flags)); },
        [](Matrix& matrix, const QString& text) {
            nlohmann::json object;
            QString problem = readJsonField(text, object);
            std::map<std::string, std::string> flags;
            for (const auto& [name, value] : object.items())
                flags[name] = value.is_string() ? value.get<std::string>() : value.dump();
            if (problem.isEmpty())
                matrix.card.flags = flags;
            return problem;
        },
        tr("A JSON object, like {\"max_num_seqs\": \"256\"}"), 2);
    setSummary([](const Matrix& matrix) {
        const qsizetype typed = static_cast<qsizetype>(matrix.card.entries.size() + matrix.card.flags.size());
        return typed == 0 ? tr("read by the probe; nothing typed")
                          : tr("%n typed", nullptr, static_cast<int>(typed));
    });
    connect(&prober, &TargetProber::changed, this, &PlanCardSection::showRead);
    showRead();
}

/// A read value stands in the empty field as its placeholder, with the mark; a typed one keeps its place.
void PlanCardSection::showRead()
{
    for (const auto& [key, field] : m_fields) {
        const CardEntry entry = m_prober.result() ? m_prober.result()->card.entry(key) : CardEntry{};
        const bool read = entry.origin == CardOrigin::Read;
        field->setUnit(read ? tr("read") : QString());
        field->setPlaceholderText(read ? QString::fromStdString(entry.value) : tr("unknown"));
    }
}

} // namespace tailmark::ui
