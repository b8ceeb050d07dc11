// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/plot_view.h"
#include "models/timeline_data.h"

#include <functional>

namespace tailmark::ui {

/// A chart along the time of one point, with its window and phases. The one that names them does so above its
/// plot, where no line runs: the window and the steady part in the legend, this as a bar as well, the phases
/// over their begin.
class TimePlot : public PlotView
{
    Q_OBJECT

public:
    explicit TimePlot(QWidget* parent = nullptr) : PlotView(parent) {}

protected:
    void setTimes(const TimelineData& data) { m_data = data; }
    const TimelineData& data() const { return m_data; }
    Scale fitTime() const;
    void paintBelow(QPainter& painter) override;
    void paintLabels(QPainter& painter) override;
    /// Of what this chart names.
    QList<LegendEntry> timeLegend() const;
    bool isSteadyKnown() const { return m_data.steadyToS > m_data.steadyFromS; }

    bool m_namesPhases = false;

private:
    TimelineData m_data;
};

/// Some values of the bins as lines.
class RatesPlot : public TimePlot
{
    Q_OBJECT

public:
    struct Curve
    {
        QString name;
        double TimelineBin::*value;
        int color;
        Qt::PenStyle style = Qt::SolidLine;
        qreal width = 1.6;
        bool onlyWhenPresent = false; ///< left out while it is zero throughout
    };
    /// `atEnd`: the values hold at the end of a bin, else over the whole of it.
    RatesPlot(const QString& title, const QString& unit, const QList<Curve>& curves, bool atEnd,
              QWidget* parent = nullptr);

    void setData(const TimelineData& data);
    void setNamesPhases(bool on) { m_namesPhases = on; }

protected:
    void restyle() override;
    std::optional<Hover> hoverAt(QPointF view) const override;

private:
    QString m_unit;
    QList<Curve> m_curves;
    bool m_atEnd;
};

/// What the engine told of itself; hidden where it told nothing of it.
class ServerPlot : public TimePlot
{
    Q_OBJECT

public:
    struct Curve
    {
        QString name;
        std::optional<double> TimelineData::ServerState::*value;
        int color;
    };
    ServerPlot(const QString& title, const QString& unit, const QList<Curve>& curves,
               QWidget* parent = nullptr);

    void setData(const TimelineData& data);

protected:
    void restyle() override;
    std::optional<Hover> hoverAt(QPointF view) const override;

private:
    QString m_unit;
    QList<Curve> m_curves;
};

/// Latencies of single requests on a logarithmic axis; failures as crosses at the upper edge.
class DotsPlot : public TimePlot
{
    Q_OBJECT

public:
    explicit DotsPlot(QWidget* parent = nullptr);
    void setData(const TimelineData& data);

protected:
    void restyle() override;
    void paintMarks(QPainter& painter) override;
    std::optional<Hover> hoverAt(QPointF view) const override;
};

/// Thousands of equal dots: on a raster each visible place once, as a pixmap; in a vector file as points of a
/// round pen.
void drawDots(QPainter& painter, const QList<QPointF>& at, const QRectF& within, qreal size,
              const QColor& color);

} // namespace tailmark::ui
