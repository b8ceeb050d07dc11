// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/reevaluation.h"

#include "analysis/point_digest.h"
#include "analysis/slo.h"
#include "analysis/summarize.h"

#include <utility>

namespace tailmark {

class Reevaluation::Point
{
public:
    Point(const PointPlan& point, std::shared_ptr<const RecordBatch> records, const PointFacts& facts)
        : m_point(point), m_facts(facts), m_records(std::move(records)), m_frame(m_point, *m_records, m_facts),
          m_digest(m_frame, *m_records)
    {
    }
    void evaluate(const Slo& slo, FailureDenominator denominator, PointSummary& summary)
    {
        if (!PointDigest::answers(slo)) {
            summary = summarize(m_point, slo, denominator, *m_records, m_facts);
            return;
        }
        for (const SloLimit& limit : slo)
            if (const Metric metric = *metricOf(limit); !m_digest.hasColumn(metric))
                m_digest.addColumn(metric, metricColumn(metric, m_frame));
        m_digest.evaluate(slo, denominator, summary);
    }

private:
    PointPlan m_point;
    PointFacts m_facts;
    std::shared_ptr<const RecordBatch> m_records;
    PointFrame m_frame;
    PointDigest m_digest;
};

Reevaluation::Reevaluation(FailureDenominator denominator) : m_denominator(denominator) {}
Reevaluation::Reevaluation(Reevaluation&&) noexcept = default;
Reevaluation& Reevaluation::operator=(Reevaluation&&) noexcept = default;
Reevaluation::~Reevaluation() = default;

void Reevaluation::add(const PointSummary& summary, std::shared_ptr<const RecordBatch> records,
                       const PointFacts& facts)
{
    m_points.push_back(std::make_unique<Point>(summary.point, std::move(records), facts));
    m_summaries.push_back(summary);
}

const std::vector<PointSummary>& Reevaluation::under(const Slo& slo)
{
    for (std::size_t i = 0; i < m_points.size(); ++i)
        m_points[i]->evaluate(slo, m_denominator, m_summaries[i]);
    return m_summaries;
}

std::vector<OperatingPoint> Reevaluation::operatingPoints(const Slo& slo)
{
    std::vector<OperatingPoint> points;
    for (const Curve& curve : makeCurves(under(slo), slo))
        points.push_back(findOperatingPoint(curve));
    return points;
}

} // namespace tailmark
