// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/scale.h"
#include "workload/trace/trace_stats.h"

#include <QPointF>
#include <QRectF>
#include <QWidget>

#include <optional>

namespace tailmark::ui {

/// Prompt against output lengths of single requests, with the distribution of each along its edge, the
/// medians and the p99 as lines. Wide ranges stand on logarithmic axes.
class JointLengthsChart : public QWidget
{
    Q_OBJECT

public:
    explicit JointLengthsChart(QWidget* parent = nullptr);

    void setStats(const TraceStats& stats);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Layout
    {
        QRectF plot, above, beside; ///< the dots, and the distributions of prompt and output
    };
    Layout layoutOf() const;
    QPointF place(const Layout& layout, const LengthPair& pair) const;
    void paintAxes(QPainter& painter, const Layout& layout) const;
    void paintDistributions(QPainter& painter, const Layout& layout) const;
    void paintQuantiles(QPainter& painter, const Layout& layout) const;

    TraceStats m_stats;
    Scale m_x, m_y;
};

} // namespace tailmark::ui
