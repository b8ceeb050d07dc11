// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_slo_section.h"
#include "pages/remove_button.h"

#include "analysis/metrics.h"
#include "analysis/operating_point.h"
#include "models/format.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString unitOf(const SloLimit& limit)
{
    const std::optional<Metric> metric = metricFromId(limit.metric);
    return metric ? metricUnit(*metric) : QString();
}

SloLimit& limitOf(Matrix& matrix, int index)
{
    return matrix.slo[static_cast<std::size_t>(index)];
}
const SloLimit& limitOf(const Matrix& matrix, int index)
{
    return matrix.slo[static_cast<std::size_t>(index)];
}

} // namespace

PlanSloSection::PlanSloSection(PlanDocument& document, QWidget* parent)
    : PlanSection(tr("Service level objective"), document, parent), m_column(new QVBoxLayout)
{
    m_column->setSpacing(12);
    body()->addLayout(m_column);
    auto* add = new QPushButton(icon(u"add"_s), tr("Add a limi&t"), this);
    connect(add, &QPushButton::clicked, this, [this] {
        this->document().edit(tr("Add a limit"), {}, [](Matrix& matrix) {
            SloLimit limit;
            const auto used = [&](const std::string& metric) {
                return std::any_of(matrix.slo.begin(), matrix.slo.end(),
                                   [&](const SloLimit& l) { return l.metric == metric; });
            };
            if (used(limit.metric))
                limit = {"tpot_ms", 99, 50};
            matrix.slo.push_back(limit);
        });
        focusField("slo[" + std::to_string(this->document().matrix().slo.size() - 1) + "].metric");
    });
    body()->addWidget(add, 0, Qt::AlignLeft);
    connect(&document, &PlanDocument::changed, this, &PlanSloSection::fitRows);
    fitRows();
    setSummary([](const Matrix& matrix) {
        QStringList parts;
        for (const SloLimit& limit : matrix.slo) {
            const std::optional<Metric> metric = metricFromId(limit.metric);
            const QString name =
                metric ? quantileName(*metric, limit.percentile) : QString::fromStdString(limit.metric);
            parts << tr("%1 ≤ %2 %3").arg(name, formatEditable(limit.limit), unitOf(limit));
        }
        return parts.join(u", "_s);
    });
}

PlanSloSection::Row PlanSloSection::makeRow(int index)
{
    Row row;
    row.box = new QWidget(this);
    auto* column = new QVBoxLayout(row.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    row.form = new PlanForm(document(), 5, row.box);
    row.form->setExists(
        [index](const Matrix& matrix) { return index < static_cast<int>(matrix.slo.size()); });
    row.form->setPathPrefix("slo[" + std::to_string(index) + "]");

    std::vector<IdChoice> metrics;
    for (const std::string_view id : sloMetricIds()) {
        const std::optional<Metric> metric = metricFromId(id);
        metrics.push_back({std::string(id), metric ? text(metricInfo(*metric).title) : text(id),
                           metric ? text(metricInfo(*metric).definition) : QString()});
    }
    row.form->addIdChoice(
        "metric", tr("Metric"), metrics, [index](auto& m) -> auto& { return limitOf(m, index).metric; }, {},
        3);
    row.form->addNumber(
        "percentile", tr("Percentile"),
        {}, [index](auto& m) -> auto& { return limitOf(m, index).percentile; },
        tr("Nearest rank over the requests of the window, failures apart"));
    row.limit = row.form->addNumber(
        "limit", tr("Limit"), {}, [index](auto& m) -> auto& { return limitOf(m, index).limit; });
    line->addWidget(row.form, 1);

    auto* remove = removeButton(row.box, tr("Remove this limit"), tr("Remove limit %1").arg(index + 1));
    connect(remove, &QToolButton::clicked, this, [this, index] {
        document().edit(tr("Remove a limit"), {},
                        [index](Matrix& matrix) { matrix.slo.erase(matrix.slo.begin() + index); });
    });
    line->addWidget(remove, 0, Qt::AlignBottom);
    column->addLayout(line);

    row.sentence = new QLabel(row.box);
    row.sentence->setWordWrap(true);
    setRole(row.sentence, u"secondary"_s);
    column->addWidget(row.sentence);
    return row;
}

void PlanSloSection::fitRows()
{
    const std::size_t wanted = document().matrix().slo.size();
    while (m_rows.size() > wanted) {
        Row row = m_rows.back();
        m_rows.pop_back();
        forget(row.form);
        m_column->removeWidget(row.box);
        row.box->hide();
        row.box->deleteLater();
    }
    while (m_rows.size() < wanted) {
        Row row = makeRow(static_cast<int>(m_rows.size()));
        m_column->addWidget(row.box);
        watch(row.form);
        row.form->refresh();
        m_rows.push_back(row);
    }
    for (std::size_t i = 0; i < wanted; ++i) {
        const SloLimit& limit = document().matrix().slo[i];
        m_rows[i].limit->setUnit(unitOf(limit));
        m_rows[i].sentence->setText(QString::fromStdString(sloSentence(limit)));
    }
}

} // namespace tailmark::ui
