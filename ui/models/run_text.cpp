// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_text.h"

#include "models/format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("RunText", source);
}

QString lengthsText(const Lengths& lengths)
{
    switch (lengths.kind) {
    case LengthsKind::Fixed:
        return tr("%1 → %2 tokens").arg(lengths.promptTokens).arg(lengths.outputTokens);
    case LengthsKind::Quantiles:
        return tr("lengths through quantiles");
    case LengthsKind::Mix: {
        QStringList names;
        for (const MixPart& part : lengths.parts)
            names << text(part.name);
        return tr("a mix of %1").arg(names.join(tr(", ")));
    }
    case LengthsKind::Prompts:
        return tr("prompts of %1").arg(QFileInfo(text(lengths.file)).fileName());
    case LengthsKind::Trace:
    case LengthsKind::Empirical:
        break;
    }
    return tr("lengths of %1").arg(QFileInfo(text(lengths.file)).fileName());
}

QString cacheText(CachePolicy cache)
{
    switch (cache) {
    case CachePolicy::Cold:
        return tr("cold cache");
    case CachePolicy::Warm:
        return tr("warm cache");
    case CachePolicy::AsIs:
        return tr("cache as it is");
    }
    return {};
}

/// The window of a burst lasts as its phases do, that of a cold start as its requests.
bool hasWindowOfDuration(const Matrix& m)
{
    return std::any_of(m.tests.begin(), m.tests.end(), [](const Test& test) {
        return test.enabled && test.kind != TestKind::BurstRecovery && test.kind != TestKind::ColdStart;
    });
}

} // namespace

QString systemLine(const RunCard& card)
{
    const auto known = [&](const char* key) {
        const CardEntry entry = card.entry(key);
        return entry.origin == CardOrigin::Unknown ? QString() : text(entry.value);
    };
    QStringList parts;
    const QString engine = QStringLiteral("%1 %2").arg(known("engine"), known("engine_version")).trimmed();
    const QString count = known("accelerator_count"), accelerator = known("accelerator");
    for (const QString& part :
         {engine, known("model"), known("quantization"),
          accelerator.isEmpty() || count.isEmpty() ? accelerator : tr("%1 × %2").arg(count, accelerator)})
        if (!part.isEmpty())
            parts << part;
    return parts.isEmpty() ? tr("Nothing is known of the system") : parts.join(QStringLiteral(" · "));
}

QString workloadLine(const Matrix& m)
{
    QStringList parts{lengthsText(m.workload.lengths), cacheText(m.workload.cache),
                      m.workload.output == OutputPolicy::Forced ? tr("output forced to its length")
                                                                : tr("output stops by itself"),
                      m.measurement.failureDenominator == FailureDenominator::Attempted
                          ? tr("shares of all attempted requests")
                          : tr("shares of accepted requests"),
                      hasWindowOfDuration(m) ? tr("%1 warm-up + %2 window").arg(formatSeconds(m.measurement.warmupS),
                                                                                   formatSeconds(m.measurement.durationS))
                                             : tr("%1 warm-up").arg(formatSeconds(m.measurement.warmupS))};
    if (m.workload.prefix.kind == PrefixKind::Shared)
        parts.insert(1, tr("%1 shared prefix tokens").arg(m.workload.prefix.sharedTokens));
    return parts.join(QStringLiteral(" · "));
}

Table cardTable(const RunCard& card)
{
    Table table;
    table.columns = {{tr("Entry"), {}, false}, {tr("Value"), {}, false}, {tr("Known from"), {}, false}};
    const auto add = [&](const std::string& key, const CardEntry& entry) {
        const QString origin = entry.origin == CardOrigin::Read    ? tr("read from the target")
                               : entry.origin == CardOrigin::Typed ? tr("typed")
                               : entry.origin == CardOrigin::Sent  ? tr("sent with the requests")
                                                                   : tr("unknown");
        table.rows << QList<Cell>{
            Cell{text(key).replace(QLatin1Char('_'), QLatin1Char(' ')), {}, text(key), Badge::None},
            Cell{text(entry.value), {}, {}, Badge::None},
            Cell{origin, {}, {}, entry.origin == CardOrigin::Unknown ? Badge::Warning : Badge::None}};
    };
    for (const std::string& key : RunCard::fixedKeys())
        add(key, card.entry(key));
    for (const auto& [key, entry] : card.entries())
        if (key.starts_with("flags.") || key.starts_with("request."))
            add(key, entry);
    return table;
}

} // namespace tailmark::ui
