// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "schedule/arrivals.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace tailmark::ui {

/// The very schedule that an open-loop point will send: a dot for each request on a time axis, above it the
/// rate, with the warm-up and the phases of a burst marked.
class PlanArrivalsPreview : public QWidget
{
    Q_OBJECT

public:
    explicit PlanArrivalsPreview(QWidget* parent = nullptr);

    /// `log`: whose arrivals are replayed, where they are. Absent: nothing to show (`reason` says why).
    void setPoint(const std::optional<PointPlan>& point, const QString& reason = {},
                  const std::shared_ptr<const RecordedTimes>& log = {});
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    std::size_t arrivalCount() const { return m_arrivals.size(); }
    /// Mean rate, CV and dispersion of the schedule; empty where there is none.
    QString words() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describe();

    std::optional<PointPlan> m_point;
    std::shared_ptr<const RecordedTimes> m_log;
    std::vector<Arrival> m_arrivals;
    bool m_cut = false; ///< more arrivals than are drawn
    QString m_reason;
};

} // namespace tailmark::ui
