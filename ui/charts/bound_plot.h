// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/plot_view.h"
#include "models/bound_data.h"

namespace tailmark::ui {

/// Output tok/s over the batch, both logarithmic: what memory and arithmetic allow, and the levels as
/// measured.
class BoundPlot : public PlotView
{
    Q_OBJECT

public:
    explicit BoundPlot(QWidget* parent = nullptr);
    void setData(const BoundData& data);

protected:
    void restyle() override;
    void paintMarks(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;

private:
    BoundData m_data;
};

} // namespace tailmark::ui
