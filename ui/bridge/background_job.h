// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

namespace tailmark::ui {

/// Work in a thread of its own whose answer comes back on the thread that asked. One answer counts: starting
/// again or cancelling asks the older work to stop and drops what it says. The destructor waits for the
/// thread, so work must end soon after its stop token says so.
template <typename T> class BackgroundJob
{
public:
    using Work = std::function<T(std::stop_token)>;
    using Done = std::function<void(T)>;

    BackgroundJob() : m_context(std::make_unique<QObject>()) {}

    void start(Work work, Done done)
    {
        cancel();
        const quint64 number = ++m_number;
        m_running = true;
        // The context lives on the thread that asks; an answer that is queued when it has gone is dropped by
        // Qt.
        auto deliver = [this, number, done = std::move(done)](T answer) {
            if (number != m_number)
                return;
            m_running = false;
            done(std::move(answer));
        };
        m_thread = std::jthread([context = m_context.get(), work = std::move(work),
                                 deliver = std::move(deliver)](std::stop_token stop) {
            T answer = work(stop);
            if (stop.stop_requested())
                return;
            QMetaObject::invokeMethod(
                context, [deliver, answer = std::move(answer)]() mutable { deliver(std::move(answer)); },
                Qt::QueuedConnection);
        });
    }

    void cancel()
    {
        ++m_number;
        m_running = false;
        m_thread.request_stop();
        if (m_thread.joinable())
            m_thread.join();
    }

    bool running() const { return m_running; }

    ~BackgroundJob() { cancel(); }

private:
    std::unique_ptr<QObject> m_context;
    std::jthread m_thread;
    quint64 m_number = 0;
    bool m_running = false;
};

} // namespace tailmark::ui
