// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/distribution_chart.h"

#include "charts/distribution_plots.h"
#include "models/format.h"

namespace tailmark::ui {

DistributionChart::DistributionChart(QWidget* parent)
    : ChartStack(parent), m_ecdf(new EcdfPlot(this)), m_histogram(new HistogramPlot(this))
{
    m_ecdf->setXLabels(false);
    add(m_ecdf, 3);
    add(m_histogram, 2);
}

void DistributionChart::setData(const DistributionData& data)
{
    m_ecdf->setData(data);
    m_histogram->setData(data);
    const QString title = text(metricInfo(data.metric).title);
    m_ecdf->setAccessibleName(tr("Distribution function of %1").arg(title));
    m_histogram->setAccessibleName(tr("Histogram of %1").arg(title));
    QStringList lines;
    if (data.summary)
        for (const auto& q : data.summary->quantiles)
            lines << QStringLiteral("%1: %2").arg(percentileName(q.percent),
                                                  formatMetric(data.metric, q.value));
    m_ecdf->setAccessibleDescription(lines.join(QLatin1Char('\n')));
    align();
}

void DistributionChart::setMessage(const QString& message)
{
    m_ecdf->setMessage(message);
}

} // namespace tailmark::ui
