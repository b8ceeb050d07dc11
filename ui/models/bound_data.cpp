// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/bound_data.h"

#include "analysis/bound.h"
#include "models/format.h"
#include "models/tables.h"

#include <QCoreApplication>

namespace tailmark::ui {

namespace {

struct Bound // the context of the translations
{
    Q_DECLARE_TR_FUNCTIONS(tailmark::ui::BoundData)
};

QList<Cell> rowOf(const PointSummary& point, const BoundCheck& check)
{
    const auto number = [](std::optional<double> value, int digits = 4) {
        return Cell{formatNumber(value, digits), value ? QVariant(*value) : QVariant(), {}, Badge::None};
    };
    Cell share{formatShare(check.bindingFraction()), {}, text(check.text), Badge::None};
    if (const auto fraction = check.bindingFraction()) {
        share.sort = *fraction;
        if (boundStandingOf(*fraction) == BoundStanding::Impossible)
            share.badge = Badge::Bad;
    }
    return {{pointName(point.point), point.point.load.value, {}, Badge::None},
            number(check.batch, 3),
            number(check.contextTokens),
            number(check.bandwidthTokensPerS),
            number(check.computeTokensPerS),
            number(check.measuredTokensPerS),
            share};
}

} // namespace

BoundData boundData(const RunResults& results, const std::string& test)
{
    BoundData data;
    const BoundFigures figures = boundFiguresOf(results);
    for (const BoundCurve& curve : boundCurves(figures, results.points)) {
        if (curve.test != test)
            continue;
        data.contextTokens = curve.contextTokens;
        for (const BoundCurve::At& at : curve.points) {
            data.bandwidth.append({at.batch, at.bandwidthTokensPerS});
            if (at.computeTokensPerS)
                data.compute.append({at.batch, *at.computeTokensPerS});
        }
    }
    if (!data.known())
        return data;
    data.table.columns = {
        {Bound::tr("Load"), {}, false},
        {Bound::tr("Batch"),
         Bound::tr("Sequences decoded together: as the engine tells, else the mean in flight"), true},
        {Bound::tr("Context [tokens]"), Bound::tr("Mean prompt plus half of the mean output"), true},
        {Bound::tr("Memory bound [tok/s]"),
         Bound::tr("Batch × bandwidth / (weights read for it + batch × keys and values)"), true},
        {Bound::tr("Compute bound [tok/s]"), Bound::tr("Peak arithmetic / (2 × active parameters)"), true},
        {Bound::tr("Measured [tok/s]"), {}, true},
        {Bound::tr("Of the bound"), Bound::tr("Measured / the lower of the two bounds"), true}};
    for (const PointSummary& point : results.points) {
        if (point.point.test != test)
            continue;
        const auto check = checkBound(figures, point);
        if (!check)
            continue;
        data.table.rows.append(rowOf(point, *check));
        data.table.ids.append(point.point.index.value);
        data.formula = Bound::tr("%1. The batch is the %2.").arg(text(check->text), text(check->batchSource));
        if (check->measuredTokensPerS)
            data.levels.append({{check->batch, *check->measuredTokensPerS},
                                Bound::tr("%1: %2 of the bound")
                                    .arg(pointName(point.point), formatShare(check->bindingFraction())),
                                point.verdict.valid,
                                point.point.index.value});
    }
    for (const OperatingBound& bound : operatingBounds(figures, results.operatingPoints, results.points))
        if (bound.test == test && !bound.check.sentence.empty())
            data.claim = Bound::tr("At %1: %2.").arg(formatLoad(bound.load), text(bound.check.sentence));
    QStringList taken;
    for (const std::string& assumption : figures.assumptions)
        taken << text(assumption);
    if (!taken.isEmpty())
        data.assumptions = Bound::tr("Taken: %1.").arg(taken.join(QStringLiteral("; ")));
    return data;
}

} // namespace tailmark::ui
