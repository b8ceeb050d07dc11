// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/frontier_chart.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace tailmark::ui {

/// The frontier with the choices above it: which throughput, which percentile of which latency, linear or
/// logarithmic, and the limit on what the y axis shows.
class FrontierPanel : public QWidget
{
    Q_OBJECT

public:
    enum class SloControl { Editable, ReadOnly };

    explicit FrontierPanel(SloControl slo, QWidget* parent = nullptr);

    FrontierChart* chart() const { return m_chart; }
    const FrontierAxes& axes() const { return m_axes; }
    bool isLogarithmic() const;
    /// Changes the choices without a signal.
    void setAxes(const FrontierAxes& axes);
    void setLogarithmic(bool on);
    /// The limits in force; one of them may be on the y axis. `original`: what Reset brings back.
    void setSlo(const Slo& slo, const Slo& original);
    const Slo& slo() const { return m_slo; }

signals:
    void axesChanged();
    /// While the line moves; sloEdited() follows when it rests.
    void sloDragged();
    void sloEdited();

private:
    void axesChosen();
    void fillPercentiles();
    void showSlo();
    void takeLimit(double limit);

    FrontierChart* m_chart;
    QComboBox* m_x;
    QComboBox* m_percent;
    QComboBox* m_y;
    QCheckBox* m_log;
    QLabel* m_sloLabel;
    QDoubleSpinBox* m_limit;
    QPushButton* m_reset;
    QPushButton* m_fit;
    FrontierAxes m_axes;
    Slo m_slo, m_originalSlo;
    bool m_editable;
};

} // namespace tailmark::ui
