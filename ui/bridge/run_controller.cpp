// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/run_controller.h"

#include "bridge/engine_programs.h"
#include "plan/plan_json.h"

#include <QStringList>

#include <utility>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kStopTimeoutMs = 15'000;
constexpr int kFarewellMs = 3'000;
constexpr qsizetype kErrorBytes = 8'192;

} // namespace

RunController::RunController(const QString& engine, QObject* parent) : QObject(parent), m_engine(engine)
{
    m_stopTimer.setSingleShot(true);
    connect(&m_stopTimer, &QTimer::timeout, this, [this] {
        if (m_process)
            m_process->kill();
    });
}

RunController::~RunController()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process
        ->closeWriteChannel(); // --stop-on-eof: the engine stores what it has and marks the run cancelled
    if (!m_process->waitForFinished(kFarewellMs)) {
        m_process->kill();
        m_process->waitForFinished(kFarewellMs);
    }
}

Status RunController::start(const Matrix& matrix, const QString& database, const QString& allowedCommand)
{
    if (m_process)
        return Error{ErrorCode::BadInput, {}, tr("a run is going on already").toStdString()};
    const QString engine = m_engine.isEmpty() ? findProgram(u"tailmark-cli"_s) : m_engine;
    if (engine.isEmpty())
        return Error{ErrorCode::Io, "tailmark-cli",
                     tr("the program is neither beside the workbench nor on PATH").toStdString()};
    auto folder = std::make_unique<QTemporaryDir>();
    if (!folder->isValid())
        return Error{ErrorCode::Io, folder->path().toStdString(), folder->errorString().toStdString()};
    const QString file = folder->filePath(u"matrix.tailmark.json"_s);
    if (Status saved = saveMatrix(matrix, file.toStdString()); !saved.ok())
        return saved.error();

    m_folder = std::move(folder);
    m_errors.clear();
    m_misunderstood = false;
    m_inPoint = false;
    m_run.reset();
    m_partner.reset();
    m_partnerOutcome.reset();
    m_point.reset();
    m_preparation.reset();
    m_progress.reset();
    m_outcome.reset();

    m_process = std::make_unique<QProcess>();
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &RunController::readEvents);
    connect(m_process.get(), &QProcess::readyReadStandardError, this,
            [this] { m_errors = (m_errors + m_process->readAllStandardError()).right(kErrorBytes); });
    connect(m_process.get(), &QProcess::finished, this, &RunController::handleExit);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish({{},
                    "failed",
                    0,
                    0,
                    tr("tailmark-cli could not be started: %1").arg(m_process->errorString()).toStdString()});
    });
    setState(State::Starting);
    QStringList arguments{u"run"_s,      file,   u"--db"_s,          database,
                          u"--events"_s, u"-"_s, u"--stop-on-eof"_s, u"--no-progress"_s};
    if (!allowedCommand.isEmpty())
        arguments << u"--allow-command"_s << allowedCommand;
    m_process->start(engine, arguments);
    return success();
}

void RunController::setPauseAfterPoint(bool pause)
{
    if (pause && m_state == State::Running) {
        send("pause");
        setState(m_inPoint ? State::Pausing : State::Paused);
    } else if (!pause && (m_state == State::Pausing || m_state == State::Paused)) {
        send("resume");
        setState(State::Running);
    }
}

void RunController::skipPoint()
{
    if (m_state == State::Running || m_state == State::Pausing)
        send("skip");
}

void RunController::stop()
{
    if (m_state == State::Idle || m_state == State::Stopping)
        return;
    send("stop");
    m_stopTimer.start(kStopTimeoutMs);
    setState(State::Stopping);
}

void RunController::setState(State state)
{
    if (m_state == state)
        return;
    m_state = state;
    emit stateChanged(state);
}

void RunController::send(const char* command)
{
    m_process->write(command);
    m_process->write("\n");
}

void RunController::readEvents()
{
    while (m_process && m_process->canReadLine()) {
        const QByteArray line = m_process->readLine().trimmed();
        if (line.isEmpty())
            continue;
        const Result<RunEvent> event = eventFromLine(line.toStdString());
        if (event.ok()) {
            if (sideOfLine(line.toStdString()) == Side::B)
                handlePartner(event.value());
            else
                handle(event.value());
        } else if (!std::exchange(m_misunderstood,
                                  true)) { // one remark is enough; the records are in the store all the same
            emit warning(
                tr("tailmark-cli said something that the workbench does not understand (%1). Are both "
                   "of one version?")
                    .arg(QString::fromStdString(event.error().line())));
        }
    }
}

void RunController::handle(const RunEvent& event)
{
    if (const auto* runStarted = std::get_if<RunStarted>(&event)) {
        m_run = *runStarted;
        if (m_state == State::Starting)
            setState(State::Running);
        emit started(*m_run);
    } else if (const auto* preparing = std::get_if<Preparation>(&event)) {
        m_preparation = *preparing;
        emit prepared(*m_preparation);
    } else if (const auto* extended = std::get_if<PlanExtended>(&event)) {
        if (m_run)
            m_run->points = extended->points;
    } else if (const auto* pointBegan = std::get_if<PointStarted>(&event)) {
        m_point = *pointBegan;
        m_preparation.reset();
        m_progress.reset();
        m_inPoint = true;
        if (m_state == State::Paused) // it began while the request to pause was on its way
            setState(State::Pausing);
        emit pointStarted(*m_point);
    } else if (const auto* news = std::get_if<Progress>(&event)) {
        m_progress = *news;
        emit progress(*m_progress);
    } else if (const auto* pointEnded = std::get_if<PointFinished>(&event)) {
        m_inPoint = false;
        emit pointFinished(*pointEnded);
        if (m_state == State::Pausing)
            setState(State::Paused);
    } else if (const auto* found = std::get_if<OperatingPointFound>(&event)) {
        emit operatingPoint(*found);
    } else if (const auto* said = std::get_if<RunWarning>(&event)) {
        emit warning(QString::fromStdString(said->text));
    } else if (const auto* runEnded = std::get_if<RunFinished>(&event)) {
        m_outcome = *runEnded; // told to the outside once the process has gone and the database is free
    }
}

/// Of the second target of a pair what concerns the whole: its points stand in a run of their own.
void RunController::handlePartner(const RunEvent& event)
{
    if (const auto* runStarted = std::get_if<RunStarted>(&event))
        m_partner = *runStarted;
    else if (const auto* said = std::get_if<RunWarning>(&event))
        emit warning(tr("Second target: %1").arg(QString::fromStdString(said->text)));
    else if (const auto* ended = std::get_if<RunFinished>(&event)) {
        m_partnerOutcome = *ended;
        if (!ended->error.empty())
            emit warning(
                tr("The run on the second target ended: %1").arg(QString::fromStdString(ended->error)));
    } else if (const auto* preparing = std::get_if<Preparation>(&event)) {
        m_preparation = *preparing;
        emit prepared(*m_preparation);
    }
}

void RunController::handleExit(int exitCode, QProcess::ExitStatus status)
{
    readEvents();
    m_errors = (m_errors + m_process->readAllStandardError()).right(kErrorBytes);
    if (m_outcome) {
        finish(*m_outcome);
        return;
    }
    RunFinished event;
    if (m_run) {
        event.run = m_run->run;
        event.points = m_run->points;
    }
    const bool crashed = status == QProcess::CrashExit;
    event.state = crashed ? "interrupted" : "failed";
    QString text = errorText();
    if (text.isEmpty())
        text = crashed ? tr("tailmark-cli, which makes the load, ended unexpectedly.")
                       : tr("tailmark-cli ended with exit code %1.").arg(exitCode);
    else if (crashed)
        text = tr("tailmark-cli, which makes the load, ended unexpectedly: %1").arg(text);
    if (crashed && m_run)
        text += u' ' + tr("What was measured before is kept.");
    event.error = text.toStdString();
    finish(std::move(event));
}

void RunController::finish(RunFinished event)
{
    m_stopTimer.stop();
    m_outcome = std::move(event);
    m_preparation.reset();
    m_process.release()->deleteLater(); // called from its own signals
    m_folder.reset();
    setState(State::Idle);
    emit finished(*m_outcome);
}

/// What the engine wrote to stderr, without the name of the temporary file, which says nothing to the user.
QString RunController::errorText() const
{
    QStringList lines;
    for (const QByteArray& raw : m_errors.split('\n')) {
        QString line = QString::fromUtf8(raw).trimmed();
        if (m_folder)
            line.remove(m_folder->filePath(u"matrix.tailmark.json"_s) + u": "_s);
        if (!line.isEmpty())
            lines << line;
    }
    return lines.mid(qMax(qsizetype(0), lines.size() - 3)).join(u'\n');
}

} // namespace tailmark::ui
