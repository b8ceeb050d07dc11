// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;

namespace tailmark::ui {

/// How many replicas of what was measured carry a demand within the SLO.
class FleetPanel : public QWidget
{
    Q_OBJECT

public:
    explicit FleetPanel(QWidget* parent = nullptr);
    /// Absent: `message` says why.
    void setOperatingPoint(const std::optional<OperatingPoint>& point, const QString& message);

private:
    void calculate();

    QLineEdit* m_demand;
    QComboBox* m_unit;
    QLineEdit* m_headroom;
    QLabel* m_replicas;
    QLabel* m_sentence;
    std::optional<OperatingPoint> m_point;
    QString m_message;
};

} // namespace tailmark::ui
