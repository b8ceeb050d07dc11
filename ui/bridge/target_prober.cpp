// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/target_prober.h"

#include <algorithm>
#include <atomic>
#include <stop_token>

namespace tailmark::ui {

namespace {

constexpr double kConnectLimitS = 5;
constexpr double kAnswerLimitS = 20;
constexpr int kTimeLimitMs = 30'000;

} // namespace

TargetProber::TargetProber(QObject* parent) : QObject(parent)
{
    m_timeLimit.setSingleShot(true);
    m_timeLimit.setInterval(kTimeLimitMs);
    connect(&m_timeLimit, &QTimer::timeout, this, [this] {
        m_job.cancel();
        set(State::Failed, {}, tr("The target did not answer within %1 s.").arg(kTimeLimitMs / 1000));
    });
}

void TargetProber::start(const Target& target, const CardInput& card, Limits limits)
{
    limits.connectTimeoutS = std::min(limits.connectTimeoutS, kConnectLimitS);
    limits.firstTokenTimeoutS = std::min(limits.firstTokenTimeoutS, kAnswerLimitS);
    limits.totalTimeoutS = std::min(limits.totalTimeoutS, kAnswerLimitS);
    m_target = target;
    m_timeLimit.start();
    m_job.start(
        [target, card, limits](std::stop_token stop) {
            std::atomic<bool> stopped{false};
            const std::stop_callback relay(stop, [&stopped] { stopped = true; });
            return probe(target, card, limits, true, &stopped);
        },
        [this](Result<ProbeResult> answer) {
            m_timeLimit.stop();
            if (answer.ok())
                set(State::Reachable, std::move(answer).value(), {});
            else
                set(State::Failed, {}, QString::fromStdString(answer.error().line()));
        });
    set(State::Probing, {}, {});
}

void TargetProber::cancel()
{
    if (m_state != State::Probing)
        return;
    forget();
}

void TargetProber::forget()
{
    m_timeLimit.stop();
    m_job.cancel();
    set(State::Unknown, {}, {});
}

void TargetProber::setTarget(const Target& target)
{
    // Another model may be chosen from those that the target lists; everything else makes it another target.
    Target same = target;
    same.model = m_target.model;
    if (same == m_target || m_state == State::Unknown)
        return;
    forget();
}

void TargetProber::set(State state, std::optional<ProbeResult> result, const QString& error)
{
    m_state = state;
    m_result = std::move(result);
    m_error = error;
    emit changed();
}

} // namespace tailmark::ui
