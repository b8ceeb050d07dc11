// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/plot_view.h"
#include "models/frontier_data.h"

#include <optional>

namespace tailmark::ui {

/// Throughput against a percentile of a latency: the curve of one test, or of several runs over one another.
/// The SLO line can be dragged, or moved by 5 % with the arrow keys up and down; left and right step through
/// the points.
class FrontierChart : public PlotView
{
    Q_OBJECT

public:
    /// The running level: where it is now, and how it came there.
    struct LiveMark
    {
        QList<QPointF> trail; ///< oldest first, the last is now
        QString label;
    };

    explicit FrontierChart(QWidget* parent = nullptr);

    void setAxes(const FrontierAxes& axes, bool logarithmic);
    void setSeries(const QList<FrontierSeries>& series);
    /// Absent: no limit on what the y axis shows.
    void setSlo(std::optional<double> limit, bool movable);
    void setLive(const std::optional<LiveMark>& live);
    /// Of the first series; index -1: none.
    void setSelected(PointIndex point);

    const QList<FrontierSeries>& series() const { return m_series; }
    std::optional<double> slo() const { return m_slo; }
    bool isDraggingSlo() const { return m_draggingSlo; }

signals:
    /// While the line is moved: often; sloEdited() follows when it rests.
    void sloDragged(double limit);
    void sloEdited(double limit);
    void pointSelected(tailmark::PointIndex point);

protected:
    void paintBelow(QPainter& painter) override;
    void paintMarks(QPainter& painter) override;
    void paintLabels(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;
    void restyle() override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Hit
    {
        int series = 0;
        const FrontierPoint* point = nullptr;
    };

    void fit();
    void describe();
    bool isOnSlo(QPointF view) const;
    void moveSlo(double limit, bool final);
    std::optional<Hit> nearest(QPointF view, qreal within) const;
    void step(int by);
    void paintMark(QPainter& painter, const FrontierMark& mark, int series) const;
    QList<QRectF> pointPlaces() const;
    QList<QLineF> drawnLines() const;
    void paintPointLabels(QPainter& painter, QList<QRectF>& taken) const;

    FrontierAxes m_axes;
    bool m_log = false;
    QList<FrontierSeries> m_series;
    std::optional<double> m_slo;
    bool m_sloMovable = false;
    bool m_draggingSlo = false;
    std::optional<LiveMark> m_live;
    PointIndex m_selected;
    QPointF m_pressedAt;
};

} // namespace tailmark::ui
