// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "run/run_event.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <QTimer>

#include <memory>
#include <optional>

namespace tailmark::ui {

/// One run at a time in a process of its own (`tailmark-cli run … --events -`), so that painting never delays
/// a send and a crash of either side loses nothing that was stored. Lives in the GUI thread; no call blocks
/// but the destructor, which gives a running engine a few seconds to end cleanly.
///
/// Signals of a run come in this order: stateChanged(Starting), started, then per point prepared…,
/// pointStarted, progress…, pointFinished and operatingPoint, at the end exactly one finished, whatever
/// happened to the process.
class RunController : public QObject
{
    Q_OBJECT

public:
    enum class State {
        Idle,
        Starting, ///< the process is up, the target is being probed
        Running,
        Pausing, ///< the point goes on, the run holds after it
        Paused,
        Stopping,
    };
    Q_ENUM(State)

    /// `engine`: path of tailmark-cli; empty = found beside the executable or on PATH.
    explicit RunController(const QString& engine = {}, QObject* parent = nullptr);
    ~RunController() override;

    /// Starts a run that is stored in `database`. Errors: a run is on already, the engine's program or the
    /// temporary file cannot be had. Whatever goes wrong later is told by finished().
    /// `allowedCommand`: the command line of a cold start that the user has allowed.
    Status start(const Matrix& matrix, const QString& database, const QString& allowedCommand = {});

    State state() const { return m_state; }
    bool isActive() const { return m_state != State::Idle; }

    // What the run that goes on, or the last one, has told; absent before.
    const std::optional<RunStarted>& run() const { return m_run; }
    const std::optional<PointStarted>& point() const { return m_point; }
    /// The run on the second target of a pair, which is measured in turn with the first; absent for one target.
    const std::optional<RunStarted>& partner() const { return m_partner; }
    /// How that run ended; absent as long as it goes on, and where the engine said nothing of its end.
    const std::optional<RunFinished>& partnerOutcome() const { return m_partnerOutcome; }
    /// What is done before the load, or before a point; absent while a point is measured.
    const std::optional<Preparation>& preparation() const { return m_preparation; }
    const std::optional<Progress>& latestProgress() const { return m_progress; }
    const std::optional<RunFinished>& outcome() const { return m_outcome; }

public slots:
    /// Hold before the next point, or go on.
    void setPauseAfterPoint(bool pause);
    /// End the running point, go on with the next.
    void skipPoint();
    /// End now; what was measured is kept. An engine that does not end within 15 s is terminated.
    void stop();

signals:
    void stateChanged(tailmark::ui::RunController::State state);
    void started(const tailmark::RunStarted& event);
    void prepared(const tailmark::Preparation& event); ///< how far a preparation has come
    void pointStarted(const tailmark::PointStarted& event);
    void progress(const tailmark::Progress& event);
    void pointFinished(const tailmark::PointFinished& event);
    void operatingPoint(const tailmark::OperatingPointFound& event);
    void warning(const QString& text);
    /// The process is gone. `event.state`: the run's own ("done", "cancelled", "failed"), or "failed" with
    /// the engine's message where it ended before a run began, "interrupted" where it crashed.
    void finished(const tailmark::RunFinished& event);

private:
    void setState(State state);
    void send(const char* command);
    void readEvents();
    void handle(const RunEvent& event);
    void handlePartner(const RunEvent& event);
    void handleExit(int exitCode, QProcess::ExitStatus status);
    void finish(RunFinished event);
    QString errorText() const;

    QString m_engine;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QTemporaryDir> m_folder; ///< holds the matrix file while the engine may read it
    QTimer m_stopTimer;
    QByteArray m_errors;
    bool m_misunderstood = false;
    bool m_inPoint = false;
    State m_state = State::Idle;
    std::optional<RunStarted> m_run;
    std::optional<RunStarted> m_partner;
    std::optional<RunFinished> m_partnerOutcome;
    std::optional<PointStarted> m_point;
    std::optional<Preparation> m_preparation;
    std::optional<Progress> m_progress;
    std::optional<RunFinished> m_outcome;
};

} // namespace tailmark::ui
