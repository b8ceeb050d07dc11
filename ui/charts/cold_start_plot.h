// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/cold_start.h"
#include "charts/plot_view.h"

namespace tailmark::ui {

/// TTFT of the requests of a cold start in their order, with what it is once it is steady and from which
/// request on. Failures stand as crosses at the upper edge.
class ColdStartPlot : public PlotView
{
    Q_OBJECT

public:
    explicit ColdStartPlot(QWidget* parent = nullptr);
    void setSummary(const ColdStartSummary& summary);

protected:
    void restyle() override;
    void paintBelow(QPainter& painter) override;
    void paintMarks(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;

private:
    ColdStartSummary m_summary;
};

} // namespace tailmark::ui
