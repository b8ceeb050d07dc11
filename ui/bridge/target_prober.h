// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/background_job.h"
#include "target/probe.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace tailmark::ui {

/// Asks the target who it is, on a thread of its own and for at most half a minute, and keeps the answer for
/// as long as the matrix is about that target. Lives in the GUI thread; no call blocks.
class TargetProber : public QObject
{
    Q_OBJECT

public:
    enum class State { Unknown, Probing, Reachable, Failed };
    Q_ENUM(State)

    explicit TargetProber(QObject* parent = nullptr);

    void start(const Target& target, const CardInput& card, Limits limits);
    void cancel();

    State state() const { return m_state; }
    /// The last answer; absent unless Reachable.
    const std::optional<ProbeResult>& result() const { return m_result; }
    /// Why not, in one line; empty unless Failed.
    const QString& error() const { return m_error; }
    /// What was known of the target is no longer certain.
    void forget();
    /// The target of the matrix was edited: an answer of another one is forgotten.
    void setTarget(const Target& target);

signals:
    void changed();

private:
    void set(State state, std::optional<ProbeResult> result, const QString& error);

    BackgroundJob<Result<ProbeResult>> m_job;
    QTimer m_timeLimit;
    Target m_target;
    State m_state = State::Unknown;
    std::optional<ProbeResult> m_result;
    QString m_error;
};

} // namespace tailmark::ui
