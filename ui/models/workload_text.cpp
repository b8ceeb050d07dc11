// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/workload_text.h"

#include "models/format.h"

#include <QCoreApplication>
#include <QLocale>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

struct Workload // the context of the translations
{
    Q_DECLARE_TR_FUNCTIONS(tailmark::ui::WorkloadText)
};

const QString kDot = u" · "_s;

/// A short code of the importer in words: "not_an_integer" -> "not an integer".
QString words(const std::string& code)
{
    return QString::fromStdString(code).replace(u'_', u' ');
}

QString decimals(double value, int count)
{
    return QLocale().toString(value, 'f', count);
}

QString counted(std::uint64_t count)
{
    return formatEstimate(static_cast<double>(count));
}

QString tokens(std::int64_t count)
{
    return formatEstimate(static_cast<double>(count));
}

/// "prompt ← input_tokens, output ← usage.completion_tokens"
QString columnsInWords(const WorkloadSummary& summary)
{
    QStringList parts;
    for (const auto& [field, name] : summary.columns)
        parts << u"%1 ← %2"_s.arg(words(field), QString::fromStdString(name));
    return parts.join(u", "_s);
}

QString requestsFact(const WorkloadSummary& summary)
{
    QStringList parts{counted(summary.rows)};
    if (!summary.format.empty() && summary.format != "unknown")
        parts << QString::fromStdString(summary.format);
    if (summary.lengthUnit != "tokens" && !summary.lengthUnit.empty())
        parts
            << Workload::tr("lengths in %1, taken as tokens").arg(QString::fromStdString(summary.lengthUnit));
    if (summary.sampledEvery > 1)
        parts << Workload::tr("one row in %1 is drawn from").arg(summary.sampledEvery);
    return parts.join(kDot);
}

void addArrivals(const ArrivalStats& arrivals, QList<Fact>& facts)
{
    const double seconds = toSeconds(arrivals.duration);
    QStringList parts{formatDuration(seconds)};
    if (arrivals.gaps && seconds > 0)
        parts << Workload::tr("mean %1 /s")
                     .arg(formatNumber(static_cast<double>(arrivals.gaps->n) / seconds, 3));
    if (!arrivals.windows.empty())
        parts << Workload::tr("peak %1 /s").arg(formatNumber(arrivals.windows.front().peakPerS, 3));
    facts << Fact{
        Workload::tr("Arrivals"), parts.join(kDot),
        Workload::tr("From the first to the last arrival of the log; the peak is that of its windows of "
                     "%1 s")
            .arg(arrivals.windows.empty() ? 1 : arrivals.windows.front().widthS)};
    if (const QString text = arrivalsInWords(arrivals); !text.isEmpty())
        facts << Fact{
            Workload::tr("Burstiness"), text,
            Workload::tr("CV of the gaps between arrivals, and the variance of the counts in windows over "
                         "their mean. Both are 1 for independent users (Poisson); more is burstier")};
    if (arrivals.grid)
        facts << Fact{
            Workload::tr("Clock"),
            Workload::tr("stamps sit on a grid of %1: replay spreads them inside a tick")
                .arg(formatSeconds(toSeconds(*arrivals.grid))),
            Workload::tr("Many rows share a time stamp. Gaps and the burstiness of short windows are then "
                         "those of the clock and not of the users, so arrivals are put at random inside "
                         "their tick before they are replayed")};
}

void addPrefix(const PrefixStats& prefix, QList<Fact>& facts)
{
    facts << Fact{
        Workload::tr("Prefix sharing"),
        Workload::tr("ideal hit rate %1 of the prompt tokens · %2 of the requests hit · blocks of %3 tokens")
            .arg(formatShare(prefix.tokenHitRate), formatShare(prefix.requestsWithHit),
                 QLocale().toString(prefix.blockSize)),
        Workload::tr("What a prefix cache of endless size would serve: leading blocks that an earlier "
                     "request had. %1 of %2 blocks")
            .arg(formatShare(prefix.blockHitRate), counted(prefix.blocks))};
    QStringList ages, capacities;
    for (const PrefixStats::WithinAge& age : prefix.ages)
        ages << Workload::tr("%1 within %2").arg(formatShare(age.share), formatDuration(age.seconds));
    if (!ages.isEmpty())
        facts << Fact{Workload::tr("Reused"), ages.join(kDot),
                      Workload::tr("Share of the hits on blocks that were last used at most so long before")};
    for (const PrefixStats::AtCapacity& capacity : prefix.capacities)
        capacities << Workload::tr("%1 at %2 tokens")
                          .arg(formatShare(capacity.tokenHitRate),
                               tokens(capacity.blocks * prefix.blockSize));
    if (!capacities.isEmpty())
        facts << Fact{
            Workload::tr("By cache size"), capacities.join(kDot),
            Workload::tr("Hit rate of a cache that keeps so many tokens and forgets what was used longest "
                         "ago")};
}

void addSessions(const SessionStats& sessions, QList<Fact>& facts)
{
    QStringList parts{
        counted(sessions.sessions),
        Workload::tr("turns p50 %1, p90 %2, most %3")
            .arg(tokens(sessions.turns.p50), tokens(sessions.turns.p90), tokens(sessions.turns.max))};
    if (sessions.growth)
        parts << Workload::tr("a turn adds %1 tokens (p50)").arg(tokens(sessions.growth->p50));
    facts << Fact{Workload::tr("Sessions"), parts.join(kDot),
                  Workload::tr("Conversations: requests of one session follow one another")};
    if (sessions.thinkMs)
        facts << Fact{Workload::tr("Think time"),
                      Workload::tr("p50 %1 · p90 %2 · p99 %3")
                          .arg(formatDuration(static_cast<double>(sessions.thinkMs->p50) / 1e3),
                               formatDuration(static_cast<double>(sessions.thinkMs->p90) / 1e3),
                               formatDuration(static_cast<double>(sessions.thinkMs->p99) / 1e3)),
                      Workload::tr("Pause of the user or tool before the next turn")};
}

} // namespace

QString arrivalsInWords(const ArrivalStats& arrivals)
{
    QStringList parts;
    if (arrivals.gaps && arrivals.gaps->n > 1)
        parts << Workload::tr("CV of the gaps %1").arg(decimals(arrivals.gaps->cv, 2));
    QStringList windows;
    for (const WindowCounts& window : arrivals.windows)
        windows << Workload::tr("%1 in %2 s").arg(formatNumber(window.dispersion, 3)).arg(window.widthS);
    if (!windows.isEmpty())
        parts << Workload::tr("dispersion index %1").arg(windows.join(u", "_s));
    return parts.join(kDot);
}

QList<Fact> workloadFacts(const WorkloadSummary& summary)
{
    QList<Fact> facts;
    const TraceStats& stats = summary.stats;
    if (summary.rows > 0)
        facts << Fact{Workload::tr("Requests"), requestsFact(summary), {}};
    if (summary.format == "generic" && !summary.columns.empty())
        facts << Fact{
            Workload::tr("Columns"), columnsInWords(summary),
            Workload::tr("Where each field was found. File > Import trace… lets you choose others")};
    if (stats.spearman) {
        QString text = decimals(*stats.spearman, 2);
        if (stats.pearson)
            text += kDot + Workload::tr("linear %1").arg(decimals(*stats.pearson, 2));
        facts << Fact{
            Workload::tr("Rank correlation"), text,
            Workload::tr("Of prompt and output (Spearman): 1 where a longer prompt always has a longer "
                         "output, 0 where they are independent")};
    }
    for (const AskedLengths::Part& part : summary.parts)
        facts << Fact{
            QString::fromStdString(part.name),
            Workload::tr("%1 of the requests · prompt p50 %2, p99 %3 · output p50 %4, p99 %5 tokens")
                .arg(formatShare(part.share), tokens(part.figures.prompt.p50),
                     tokens(part.figures.prompt.p99), tokens(part.figures.output.p50),
                     tokens(part.figures.output.p99)),
            Workload::tr("A part of the mix")};
    if (stats.prefix)
        addPrefix(*stats.prefix, facts);
    if (stats.cachedShare)
        facts << Fact{Workload::tr("Cached in the log"), formatShare(stats.cachedShare),
                      Workload::tr("Of the prompt tokens of the rows that tell it")};
    if (stats.sessions)
        addSessions(*stats.sessions, facts);
    if (stats.arrivals)
        addArrivals(*stats.arrivals, facts);
    return facts;
}

Table lengthPercentiles(const TraceStats& stats)
{
    Table table;
    table.columns = {{Workload::tr("Tokens"), {}, false}};
    for (const QString& title :
         {Workload::tr("min"), u"p50"_s, u"p90"_s, u"p99"_s, Workload::tr("max"), Workload::tr("mean")})
        table.columns.append({title, {}, true});
    const auto row = [](const QString& title, const IntegerStats& lengths) {
        QList<Cell> cells{{title, {}, {}, Badge::None}};
        for (const double value : {static_cast<double>(lengths.min), static_cast<double>(lengths.p50),
                                   static_cast<double>(lengths.p90), static_cast<double>(lengths.p99),
                                   static_cast<double>(lengths.max), lengths.mean})
            cells.append({formatEstimate(value), value, {}, Badge::None});
        return cells;
    };
    table.rows = {row(Workload::tr("Prompt"), stats.prompt), row(Workload::tr("Output"), stats.output)};
    return table;
}

Table refusedRows(const WorkloadSummary& summary)
{
    Table table;
    table.columns = {{Workload::tr("Line"), {}, true},
                     {Workload::tr("Field"), {}, false},
                     {Workload::tr("Reason"), {}, false}};
    for (const RejectedRow& row : summary.rejected)
        table.rows.append({{QLocale().toString(row.line), static_cast<qlonglong>(row.line), {}, Badge::None},
                           {row.field.empty() ? Workload::tr("record") : QString::fromStdString(row.field),
                            {},
                            {},
                            Badge::None},
                           {words(row.reason), {}, {}, Badge::None}});
    return table;
}

QString refusedInWords(const WorkloadSummary& summary)
{
    if (summary.rowsRejected == 0)
        return {};
    QStringList reasons;
    for (const auto& [reason, count] : summary.rejectedByReason)
        reasons << Workload::tr("%1 %2").arg(counted(count), words(reason));
    return Workload::tr("%n row(s) refused: %1", nullptr, static_cast<int>(summary.rowsRejected))
        .arg(reasons.join(u", "_s));
}

} // namespace tailmark::ui
