// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;

namespace tailmark::ui {

class PlanDocument;
class RunController;
class TargetProber;

/// The status bar: whom we ask and whether it is there, how far the run is, how the generator fares.
class StatusPanel : public QWidget
{
    Q_OBJECT

public:
    StatusPanel(PlanDocument& document, TargetProber& prober, RunController& controller,
                QWidget* parent = nullptr);

signals:
    void targetClicked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool answeredLastRun() const;
    void showTarget();
    void showRun();
    void showHealth();

    PlanDocument& m_document;
    TargetProber& m_prober;
    RunController& m_controller;
    QLabel* m_targetMark;
    QLabel* m_target;
    QProgressBar* m_bar;
    QLabel* m_run;
    QLabel* m_health;
};

} // namespace tailmark::ui
