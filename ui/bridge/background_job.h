// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace tailmark::ui {

/// Work in a thread of its own whose answer comes back on the thread that asked. One answer counts: starting
/// again or cancelling asks the older work to stop and drops what it says, without waiting for it. The
/// destructor waits, so work must end soon after its stop token says so.
template <typename T> class BackgroundJob
{
public:
    using Work = std::function<T(std::stop_token)>;
    using Done = std::function<void(T)>;

    BackgroundJob() : m_context(std::make_unique<QObject>()) {}
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    void start(Work work, Done done)
    {
        cancel();
        std::erase_if(m_workers, [](const Worker& worker) { return worker.ended->load(); });
        const quint64 number = ++m_number;
        m_running = true;
        auto deliver = [this, number, done = std::move(done)](T answer) {
            if (number != m_number)
                return;
            m_running = false;
            done(std::move(answer));
        };
        auto ended = std::make_shared<std::atomic<bool>>(false);
        // The context belongs to the thread that asks and outlives the workers; an answer still queued when
        // it goes is dropped by Qt.
        m_workers.push_back({std::jthread([context = m_context.get(), ended, work = std::move(work),
                                           deliver = std::move(deliver)](std::stop_token stop) {
                                 auto answer = std::make_shared<T>(work(stop));
                                 if (!stop.stop_requested())
                                     QMetaObject::invokeMethod(
                                         context, [deliver, answer] { deliver(std::move(*answer)); },
                                         Qt::QueuedConnection);
                                 *ended = true;
                             }),
                             ended});
    }

    void cancel()
    {
        ++m_number;
        m_running = false;
        for (Worker& worker : m_workers)
            worker.thread.request_stop();
    }

    bool running() const { return m_running; }

private:
    struct Worker
    {
        std::jthread thread;
        std::shared_ptr<std::atomic<bool>> ended;
    };

    std::unique_ptr<QObject> m_context;
    std::vector<Worker> m_workers;
    quint64 m_number = 0;
    bool m_running = false;
};

} // namespace tailmark::ui
