// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_length_fields.h"

#include "plan/length_quantiles.h"
#include "plan/validate.h"
#include "workload/lengths.h"

#include <QRegularExpression>

#include <tuple>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

/// "p50: 800, p99: 24000", by rising percent, and back.
QString quantilesText(const LengthQuantiles& quantiles)
{
    QStringList parts;
    for (const QuantilePoint& point : quantilePoints(quantiles))
        parts << u"%1: %2"_s.arg(QString::fromStdString(point.name)).arg(point.tokens);
    for (const auto& [name, tokens] : quantiles) // names that are none are the user's to mend
        if (!quantilePercent(name))
            parts << u"%1: %2"_s.arg(QString::fromStdString(name)).arg(tokens);
    return parts.join(u", "_s);
}

QString readQuantiles(const QString& text, LengthQuantiles& quantiles)
{
    LengthQuantiles read;
    for (const QString& part : text.split(QRegularExpression(u"[,;]"_s), Qt::SkipEmptyParts)) {
        const QStringList two = part.split(u':');
        qint64 tokens = 0;
        const QString problem = two.size() == 2 ? wholeNumberFromText(two[1], 1, 2'000'000, tokens)
                                                : PlanForm::tr("write p50: tokens");
        if (!problem.isEmpty())
            return PlanForm::tr("“%1”: %2").arg(part.trimmed(), problem);
        read[two[0].trimmed().toStdString()] = static_cast<int>(tokens);
    }
    quantiles = std::move(read);
    return {};
}

} // namespace

PlanLineEdit* addLengthFields(PlanForm& form, LengthsPlace at)
{
    form.addNumber(
        "lengths.prompt_tokens", PlanForm::tr("Prompt"),
        PlanForm::tr("tokens"), [at](auto& m) -> auto& { return at(m).promptTokens; });
    form.addNumber(
        "lengths.output_tokens", PlanForm::tr("Output"),
        PlanForm::tr("tokens"), [at](auto& m) -> auto& { return at(m).outputTokens; },
        PlanForm::tr("Cap on the output, or its length when forced"));
    PlanLineEdit* file = form.addText(
        "lengths.file", at.part < 0 ? PlanForm::tr("Trace &file") : PlanForm::tr("Trace file"),
        [at](const Matrix& m) { return QString::fromStdString(at(m).file); },
        [at](Matrix& m, const QString& text) {
            // Another file has other rows.
            if (at(m).file != text.trimmed().toStdString())
                at(m).hash.clear();
            at(m).file = text.trimmed().toStdString();
            return QString();
        },
        PlanForm::tr("A log with prompt and output tokens of each request. A file can also be dropped here."),
        2);
    std::vector<IdChoice> formats;
    for (const std::string_view format : traceFormatIds())
        formats.push_back(
            {std::string(format), format == "auto" ? PlanForm::tr("Recognise it") : text(format), {}});
    form.addIdChoice(
        "lengths.format", PlanForm::tr("Format"), formats, [at](auto& m) -> auto& { return at(m).format; },
        PlanForm::tr("Of the trace file; File > Import trace… lets you choose its columns"), 2);
    form.addChoice(
        "lengths.draw", PlanForm::tr("Drawn"),
        {{PlanForm::tr("Together"), PlanForm::tr("Prompt and output of a row stay together, as they were")},
         {PlanForm::tr("Apart"),
          PlanForm::tr(
              "Prompt and output are drawn from different rows: shows what their correlation costs")}},
        [at](auto& m) -> auto& { return at(m).draw; }, {}, 2);
    for (const auto& [path, label, member] :
         {std::tuple("lengths.prompt", PlanForm::tr("Prompt quantiles"), &Lengths::promptQuantiles),
          std::tuple("lengths.output", PlanForm::tr("Output quantiles"), &Lengths::outputQuantiles)})
        form.addText(
                path, label, [at, member = member](const Matrix& m) { return quantilesText(at(m).*member); },
                [at, member = member](Matrix& m, const QString& text) {
                    return readQuantiles(text, at(m).*member);
                },
                PlanForm::tr("Tokens at each, with commas between; min and max bound it"), 2)
            ->setPlaceholderText(u"p50: 800, p95: 6000, p99: 24000"_s);
    form.addNumber(
        "lengths.rank_correlation", PlanForm::tr("Rank correlation"),
        {}, [at](auto& m) -> auto& { return at(m).rankCorrelation; },
        PlanForm::tr("Of prompt and output, from −1 to 1; 0 draws them independently"), 2);
    form.addString(
            "lengths.hash", PlanForm::tr("Rows"), [at](auto& m) -> auto& { return at(m).hash; },
            PlanForm::tr("SHA-256 of the rows that are meant, whatever becomes of the file; empty takes the "
                         "file as it "
                         "is"),
            2)
        ->setPlaceholderText(PlanForm::tr("as the file has them"));
    return file;
}

void showLengthFields(PlanForm& form, LengthsKind kind)
{
    const bool log = isDrawnFromLog(kind);
    const bool file = log || kind == LengthsKind::Prompts;
    form.setFieldVisible("lengths.prompt_tokens", kind == LengthsKind::Fixed);
    form.setFieldVisible("lengths.output_tokens", kind == LengthsKind::Fixed || kind == LengthsKind::Prompts);
    for (const char* path : {"lengths.file", "lengths.hash"})
        form.setFieldVisible(path, file);
    form.setFieldVisible("lengths.format", kind == LengthsKind::Trace);
    form.setFieldVisible("lengths.draw", log);
    for (const char* path : {"lengths.prompt", "lengths.output", "lengths.rank_correlation"})
        form.setFieldVisible(path, kind == LengthsKind::Quantiles);
}

} // namespace tailmark::ui
