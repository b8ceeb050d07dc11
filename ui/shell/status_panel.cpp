// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/status_panel.h"

#include "bridge/run_controller.h"
#include "bridge/target_prober.h"
#include "models/format.h"
#include "pages/plan_document.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kBarSteps = 1000;

} // namespace

StatusPanel::StatusPanel(PlanDocument& document, TargetProber& prober, RunController& controller,
                         QWidget* parent)
    : QWidget(parent), m_document(document), m_prober(prober), m_controller(controller),
      m_targetMark(new QLabel(this)), m_target(new QLabel(this)), m_bar(new QProgressBar(this)),
      m_run(new QLabel(this)), m_health(new QLabel(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 12, 2);
    row->setSpacing(8);
    m_bar->setRange(0, kBarSteps);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(160, 6);
    m_bar->setAccessibleName(tr("Progress of the run"));
    m_health->setToolTip(tr(
        "The load generator's own condition: how late it sends (p99 of the running point) and how much CPU "
        "it takes. A late generator measures itself."));
    m_target->setCursor(Qt::PointingHandCursor);
    m_target->installEventFilter(this);
    row->addWidget(m_targetMark);
    row->addWidget(m_target);
    row->addStretch(1);
    row->addWidget(m_bar);
    row->addWidget(m_run);
    row->addStretch(1);
    row->addWidget(m_health);

    connect(&document, &PlanDocument::changed, this, &StatusPanel::showTarget);
    connect(&prober, &TargetProber::changed, this, &StatusPanel::showTarget);
    connect(&controller, &RunController::stateChanged, this, [this] {
        showTarget();
        showRun();
        showHealth();
    });
    connect(&controller, &RunController::started, this, &StatusPanel::showTarget);
    connect(&controller, &RunController::prepared, this, &StatusPanel::showRun);
    connect(&controller, &RunController::pointStarted, this, &StatusPanel::showRun);
    connect(&controller, &RunController::progress, this, [this] {
        showRun();
        showHealth();
    });
    showTarget();
    showRun();
    showHealth();
}

bool StatusPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_target && event->type() == QEvent::MouseButtonRelease)
        emit targetClicked();
    return QWidget::eventFilter(watched, event);
}

/// The target of the matrix was that of the last run, which it did not end.
bool StatusPanel::answeredLastRun() const
{
    const auto& run = m_controller.run();
    const auto& outcome = m_controller.outcome();
    return run && outcome && outcome->error.empty() && run->target == m_document.matrix().target.baseUrl;
}

void StatusPanel::showTarget()
{
    const auto named = [](const std::string& engine, const std::string& version, const std::string& model) {
        QStringList parts;
        parts << QString::fromStdString(version.empty() ? engine : engine + " " + version);
        if (!model.empty())
            parts << QString::fromStdString(model);
        return parts.join(u" · "_s);
    };
    const QString url = QString::fromStdString(m_document.matrix().target.baseUrl);
    QString text = tr("%1 · not probed").arg(url);
    QString tip = url;
    QIcon mark = icon(u"probe"_s, Tint::Secondary);
    if (m_controller.isActive() && m_controller.run()) {
        const RunStarted& run = *m_controller.run();
        text = named(run.engine, run.version, run.model);
        tip = QString::fromStdString(run.target);
        mark = icon(u"probe"_s, Tint::Ok);
    } else if (m_prober.state() == TargetProber::State::Reachable) {
        const ProbeResult& result = *m_prober.result();
        text = named(result.engine, result.version, result.model);
        mark = icon(u"probe"_s, Tint::Ok);
    } else if (m_prober.state() == TargetProber::State::Unknown && answeredLastRun()) {
        const RunStarted& run = *m_controller.run();
        text = named(run.engine, run.version, run.model);
        tip = tr("%1, as it answered the last run").arg(url);
        mark = icon(u"probe"_s, Tint::Secondary);
    } else if (m_prober.state() == TargetProber::State::Failed) {
        text = tr("%1 · not reachable").arg(url);
        tip = m_prober.error();
        mark = icon(u"error"_s, Tint::Error);
    } else if (m_prober.state() == TargetProber::State::Probing) {
        text = tr("%1 · probing…").arg(url);
    }
    m_target->setText(m_target->fontMetrics().elidedText(text, Qt::ElideMiddle, 420));
    m_target->setToolTip(tip);
    m_target->setAccessibleName(tr("Target: %1").arg(text));
    m_targetMark->setPixmap(mark.pixmap(QSize(16, 16), devicePixelRatioF()));
}

void StatusPanel::showRun()
{
    const bool active = m_controller.isActive();
    m_bar->setVisible(active);
    if (!active) {
        m_run->setText({});
        return;
    }
    const auto& run = m_controller.run();
    const auto& point = m_controller.point();
    const auto& progress = m_controller.latestProgress();
    QStringList parts;
    if (!run)
        parts << tr("Starting…");
    else if (m_controller.preparation())
        parts << tr("Preparing…");
    else if (point)
        parts << tr("Point %1 of %2").arg(point->point.value + 1).arg(run->points);
    switch (m_controller.state()) {
    case RunController::State::Pausing:
        parts << tr("pausing after this point");
        break;
    case RunController::State::Paused:
        parts << tr("paused");
        break;
    case RunController::State::Stopping:
        parts << tr("stopping…");
        break;
    default:
        if (progress)
            parts << tr("%1 left").arg(formatDuration(progress->remainingS));
    }
    m_run->setText(parts.join(u" · "_s));
    if (run && progress && run->estimatedS > 0)
        m_bar->setValue(
            static_cast<int>(kBarSteps * qBound(0.0, 1 - progress->remainingS / run->estimatedS, 1.0)));
    else if (!point)
        m_bar->setValue(0);
}

void StatusPanel::showHealth()
{
    const auto& progress = m_controller.latestProgress();
    const bool shown = m_controller.isActive() && progress;
    m_health->setVisible(shown);
    if (!shown)
        return;
    const QLocale locale;
    m_health->setText(tr("Generator: lag p99 %1 ms · %2 cores")
                          .arg(locale.toString(progress->sendLagP99Ms, 'f', 1),
                               locale.toString(progress->cpuCores, 'f', 2)));
}

} // namespace tailmark::ui
