// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/chart_stack.h"
#include "models/distribution_data.h"

namespace tailmark::ui {

class EcdfPlot;
class HistogramPlot;

/// The values of one metric in one point: the empirical distribution function over the histogram, with the
/// percentiles.
class DistributionChart : public ChartStack
{
    Q_OBJECT

public:
    explicit DistributionChart(QWidget* parent = nullptr);

    void setData(const DistributionData& data);
    void setMessage(const QString& message);

private:
    EcdfPlot* m_ecdf;
    HistogramPlot* m_histogram;
};

} // namespace tailmark::ui
