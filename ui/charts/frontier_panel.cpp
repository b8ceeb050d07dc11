// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_panel.h"

#include "models/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolTip>
#include <QVBoxLayout>

namespace tailmark::ui {

namespace {

/// Shows the digits that a limit has, not three decimals always. Takes every character, so that none is
/// dropped on the way to another number, and says so when the whole is no limit.
class LimitBox : public QDoubleSpinBox
{
public:
    using QDoubleSpinBox::QDoubleSpinBox;
    QString textFromValue(double value) const override { return formatEditable(value); }
    double valueFromText(const QString& text) const override { return limitIn(text).value_or(value()); }
    QValidator::State validate(QString& text, int&) const override
    {
        return limitIn(text) ? QValidator::Acceptable : QValidator::Intermediate;
    }
    void fixup(QString& text) const override
    {
        QToolTip::showText(
            mapToGlobal(rect().bottomLeft()),
            FrontierPanel::tr("“%1” is no limit: a number from 0 to %2 is expected, 0 for none")
                .arg(numberPart(text), formatNumber(maximum(), 9)));
        QDoubleSpinBox::fixup(text);
    }

private:
    QString numberPart(QString text) const
    {
        if (text.endsWith(suffix()))
            text.chop(suffix().size());
        return text.trimmed();
    }
    std::optional<double> limitIn(const QString& text) const
    {
        const QString number = numberPart(text);
        if (number == specialValueText())
            return minimum();
        const std::optional<double> limit = parseNumber(number);
        return limit && *limit >= minimum() && *limit <= maximum() ? limit : std::nullopt;
    }
};

QComboBox* combo(const QString& name, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

void select(QComboBox* box, const QVariant& data)
{
    const QSignalBlocker quiet(box);
    box->setCurrentIndex(box->findData(data));
}

} // namespace

FrontierPanel::FrontierPanel(SloControl slo, QWidget* parent)
    : QWidget(parent), m_chart(new FrontierChart(this)), m_x(combo(tr("Throughput shown"), this)),
      m_percent(combo(tr("Percentile shown"), this)), m_y(combo(tr("Latency shown"), this)),
      m_log(new QCheckBox(tr("Log"), this)), m_sloLabel(new QLabel(tr("SLO"), this)),
      m_limit(new LimitBox(this)), m_reset(new QPushButton(tr("Reset"), this)),
      m_fit(new QPushButton(tr("Fit"), this)), m_editable(slo == SloControl::Editable)
{
    for (Metric m : throughputMetrics()) {
        m_x->addItem(metricHead(m), static_cast<int>(m));
        m_x->setItemData(m_x->count() - 1, text(metricInfo(m).definition), Qt::ToolTipRole);
    }
    for (Metric m : latencyMetrics()) {
        m_y->addItem(text(metricInfo(m).abbreviation), static_cast<int>(m));
        m_y->setItemData(m_y->count() - 1, text(metricInfo(m).definition), Qt::ToolTipRole);
    }
    m_log->setToolTip(tr("Logarithmic latency axis"));
    m_limit->setAccessibleName(tr("Limit on the latency shown"));
    m_limit->setRange(0, 1e7);
    m_limit->setDecimals(3);
    m_limit->setSpecialValueText(tr("none"));
    m_limit->setKeyboardTracking(false);
    m_limit->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_limit->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_reset->setToolTip(tr("Back to the limits of the run's matrix"));
    m_fit->setToolTip(tr("Show everything (Home). The wheel zooms, with Ctrl the latency only, with Shift "
                         "the throughput only."));
    m_sloLabel->setBuddy(m_limit);
    for (QWidget* w : std::initializer_list<QWidget*>{m_sloLabel, m_limit, m_reset})
        w->setVisible(m_editable);

    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    auto* against = new QLabel(tr("against"), this);
    against->setProperty("role", QStringLiteral("secondary"));
    for (QWidget* w : std::initializer_list<QWidget*>{m_x, against, m_percent, m_y, m_log})
        row->addWidget(w);
    row->addStretch(1);
    for (QWidget* w : std::initializer_list<QWidget*>{m_sloLabel, m_limit, m_reset, m_fit})
        row->addWidget(w);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(row);
    column->addWidget(m_chart, 1);

    for (QComboBox* box : {m_x, m_percent, m_y})
        connect(box, &QComboBox::currentIndexChanged, this, &FrontierPanel::axesChosen);
    connect(m_log, &QCheckBox::toggled, this, &FrontierPanel::axesChosen);
    connect(m_fit, &QPushButton::clicked, m_chart, &PlotView::zoomToFit);
    connect(m_limit, &QDoubleSpinBox::valueChanged, this, [this](double limit) {
        takeLimit(limit);
        showSlo();
        emit sloEdited();
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_slo = m_originalSlo;
        showSlo();
        emit sloEdited();
    });
    connect(m_chart, &FrontierChart::sloDragged, this, [this](double limit) {
        takeLimit(limit);
        showSlo();
        emit sloDragged();
    });
    connect(m_chart, &FrontierChart::sloEdited, this, [this](double limit) {
        takeLimit(limit);
        showSlo();
        emit sloEdited();
    });
    setAxes(m_axes);
}

bool FrontierPanel::isLogarithmic() const
{
    return m_log->isChecked();
}

void FrontierPanel::setAxes(const FrontierAxes& axes)
{
    m_axes = axes;
    fillPercentiles();
    select(m_x, static_cast<int>(axes.x));
    select(m_y, static_cast<int>(axes.y));
    m_chart->setAxes(m_axes, isLogarithmic());
    showSlo();
}

void FrontierPanel::setLogarithmic(bool on)
{
    const QSignalBlocker quiet(m_log);
    m_log->setChecked(on);
    m_chart->setAxes(m_axes, on);
}

void FrontierPanel::setSlo(const Slo& slo, const Slo& original)
{
    m_originalSlo = original;
    if (m_chart->isDraggingSlo())
        return;
    m_slo = slo;
    fillPercentiles();
    showSlo();
}

void FrontierPanel::fillPercentiles()
{
    const QSignalBlocker quiet(m_percent);
    QList<double> offered = percentiles(m_slo);
    if (!offered.contains(m_axes.percent))
        offered.append(m_axes.percent);
    m_percent->clear();
    for (double p : offered)
        m_percent->addItem(percentileName(p), p);
    select(m_percent, m_axes.percent);
}

void FrontierPanel::axesChosen()
{
    m_axes = {static_cast<Metric>(m_x->currentData().toInt()),
              static_cast<Metric>(m_y->currentData().toInt()), m_percent->currentData().toDouble()};
    m_chart->setAxes(m_axes, isLogarithmic());
    showSlo();
    emit axesChanged();
}

void FrontierPanel::showSlo()
{
    const std::optional<double> limit = limitOn(m_slo, m_axes);
    m_chart->setSlo(limit, m_editable);
    const QSignalBlocker quiet(m_limit);
    m_limit->setSuffix(QLatin1Char(' ') + metricUnit(m_axes.y));
    m_limit->setValue(limit.value_or(0));
    m_limit->setToolTip(sloText(m_slo));
    m_reset->setEnabled(m_slo != m_originalSlo);
}

void FrontierPanel::takeLimit(double limit)
{
    m_slo = limit > 0 ? withLimit(m_slo, m_axes, limit) : withoutLimit(m_slo, m_axes);
}

} // namespace tailmark::ui
