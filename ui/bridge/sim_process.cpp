// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/sim_process.h"

#include "bridge/engine_programs.h"

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kReadyTimeoutMs = 10'000;

} // namespace

SimProcess::SimProcess(const QString& program, QObject* parent) : QObject(parent), m_program(program)
{
    m_timeLimit.setSingleShot(true);
    connect(&m_timeLimit, &QTimer::timeout, this, [this] {
        fail(
            tr("The simulated engine did not say where it listens within %1 s.").arg(kReadyTimeoutMs / 1000));
    });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &SimProcess::readUrl);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("The simulated engine could not be started: %1").arg(m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this] {
        const QString said = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
        fail(said.isEmpty() ? tr("The simulated engine ended.")
                            : tr("The simulated engine ended: %1").arg(said));
    });
}

SimProcess::~SimProcess()
{
    stop();
}

void SimProcess::start(const QStringList& arguments)
{
    if (m_process.state() != QProcess::NotRunning) {
        if (!m_url.isEmpty())
            emit ready(m_url);
        return;
    }
    const QString program = m_program.isEmpty() ? findProgram(u"tailmark-sim"_s) : m_program;
    if (program.isEmpty()) {
        emit failed(tr("The simulated engine (tailmark-sim) is neither beside the workbench nor on PATH."));
        return;
    }
    m_timeLimit.start(kReadyTimeoutMs);
    m_process.start(program, QStringList{u"--exit-with-parent"_s} + arguments);
}

void SimProcess::stop()
{
    m_timeLimit.stop();
    m_url.clear();
    if (m_process.state() == QProcess::NotRunning)
        return;
    const QSignalBlocker quiet(m_process);
    m_process.terminate();
    if (!m_process.waitForFinished(500)) {
        m_process.kill();
        m_process.waitForFinished(500);
    }
}

void SimProcess::readUrl()
{
    while (m_process.canReadLine()) {
        const QString line = QString::fromUtf8(m_process.readLine()).trimmed();
        if (!m_url.isEmpty() || !line.startsWith("http"_L1))
            continue;
        m_timeLimit.stop();
        m_url = line;
        emit ready(m_url);
    }
}

void SimProcess::fail(const QString& reason)
{
    stop();
    emit failed(reason);
}

} // namespace tailmark::ui
