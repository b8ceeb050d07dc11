// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_card_fields.h"

#include "pages/plan_json_field.h"
#include "record/run_card.h"

namespace tailmark::ui {

namespace {

constexpr qint64 kMostAccelerators = 1'000'000;

QString entryTitle(const std::string& key)
{
    static const std::map<std::string, QString> titles = {
        {"engine", PlanForm::tr("Engine")},
        {"engine_version", PlanForm::tr("Engine version")},
        {"model", PlanForm::tr("Model")},
        {"model_revision", PlanForm::tr("Model revision")},
        {"quantization", PlanForm::tr("Quantization")},
        {"tokenizer", PlanForm::tr("Tokenizer")},
        {"chat_template", PlanForm::tr("Chat template")},
        {"accelerator", PlanForm::tr("Accelerator")},
        {"accelerator_count", PlanForm::tr("Accelerators")},
        {"parallelism", PlanForm::tr("Parallelism")},
        {"notes", PlanForm::tr("Notes")},
    };
    const auto it = titles.find(key);
    return it == titles.end() ? QString::fromStdString(key) : it->second;
}

} // namespace

CardFields addCardFields(PlanForm& form, MatrixSide side)
{
    CardFields fields;
    for (const std::string& key : RunCard::fixedKeys()) {
        fields[key] = form.addText(
            key, entryTitle(key),
            [key, side](const Matrix& matrix) {
                const CardInput& card = side.card(matrix);
                const auto it = card.entries.find(key);
                return it == card.entries.end() ? QString() : QString::fromStdString(it->second);
            },
            [key, side](Matrix& matrix, const QString& text) {
                if (qint64 count = 0; key == "accelerator_count" && !text.trimmed().isEmpty())
                    if (const QString problem = wholeNumberFromText(text, 1, kMostAccelerators, count);
                        !problem.isEmpty())
                        return problem;
                if (text.trimmed().isEmpty())
                    side.card(matrix).entries.erase(key);
                else
                    side.card(matrix).entries[key] = text.trimmed().toStdString();
                return QString();
            },
            PlanForm::tr("Typed here; what the target tells of itself wins over it"), key == "notes" ? 2 : 1);
    }
    form.addText(
        "flags", PlanForm::tr("Flags that differ from the default"),
        [side](const Matrix& matrix) { return jsonFieldText(nlohmann::json(side.card(matrix).flags)); },
        [side](Matrix& matrix, const QString& text) {
            nlohmann::json object;
            QString problem = readJsonField(text, object);
            std::map<std::string, std::string> flags;
            for (const auto& [name, value] : object.items())
                flags[name] = value.is_string() ? value.get<std::string>() : value.dump();
            if (problem.isEmpty())
                side.card(matrix).flags = flags;
            return problem;
        },
        PlanForm::tr("A JSON object, like {\"max_num_seqs\": \"256\"}"), 2);
    return fields;
}

void showReadCard(const CardFields& fields, const std::optional<ProbeResult>& probed)
{
    for (const auto& [key, field] : fields) {
        const CardEntry entry = probed ? probed->card.entry(key) : CardEntry{};
        const bool read = entry.origin == CardOrigin::Read;
        field->setUnit(read ? PlanForm::tr("read") : QString());
        field->setPlaceholderText(read ? QString::fromStdString(entry.value) : PlanForm::tr("unknown"));
    }
}

} // namespace tailmark::ui
