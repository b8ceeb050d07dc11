// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/plot_view.h"
#include "models/distribution_data.h"

namespace tailmark::ui {

/// Marks p50, p90 and p99 across.
class PercentilePlot : public PlotView
{
    Q_OBJECT

public:
    explicit PercentilePlot(QWidget* parent = nullptr) : PlotView(parent) {}

protected:
    void setValues(const DistributionData& data) { m_data = data; }
    const DistributionData& data() const { return m_data; }
    Scale fitValues() const;
    void paintMarks(QPainter& painter) override;

private:
    DistributionData m_data;
};

class EcdfPlot : public PercentilePlot
{
    Q_OBJECT

public:
    explicit EcdfPlot(QWidget* parent = nullptr);
    void setData(const DistributionData& data);

protected:
    void restyle() override;
    void paintLabels(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;
};

class HistogramPlot : public PercentilePlot
{
    Q_OBJECT

public:
    explicit HistogramPlot(QWidget* parent = nullptr);
    void setData(const DistributionData& data);

protected:
    void paintBelow(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;
};

} // namespace tailmark::ui
