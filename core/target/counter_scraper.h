// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "target/http_client.h"
#include "target/server_counters.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tailmark {

/// When to ask next: once a second, in step with the start of the window, and at its end, so that a
/// difference can be taken over the window itself. `last`: when it was asked last. Times on one clock.
Nanoseconds nextScrape(Nanoseconds last, Nanoseconds windowStart, Nanoseconds windowEnd);

/// Asks an engine for its counters once a second while a point runs: over a connection of its own, on a
/// thread of low priority, each answer within kLimit, so that it takes nothing from the load and the load's
/// generator waits for nothing. All calls from one other thread.
class CounterScraper
{
public:
    static constexpr Nanoseconds kPeriod{1'000'000'000};
    static constexpr Nanoseconds kLimit{2'000'000'000};
    /// After so many answers in a row that did not come, it asks no more in this point.
    static constexpr int kPatience = 3;

    struct Reading
    {
        Nanoseconds at{0}; ///< monotonic; the middle between question and answer
        CounterValues values;
    };

    explicit CounterScraper(CounterEndpoint endpoint);
    ~CounterScraper();
    CounterScraper(const CounterScraper&) = delete;
    CounterScraper& operator=(const CounterScraper&) = delete;

    /// Asks once and waits: whether there is anything to read. The error says what is in the way.
    Status check();

    /// Between points: asks until the engine has no request left, at most for `atMost` or until `stop` is set.
    /// How many it has then, running and waiting; absent where it does not tell.
    std::optional<double> waitUntilIdle(Nanoseconds atMost, const std::atomic<bool>& stop);

    /// Takes the first reading, before anything is sent, and goes on once a second. Waits for the first, at
    /// most kLimit.
    void begin();
    /// The window, absolute, once it is known.
    void aim(Nanoseconds windowStart, Nanoseconds windowEnd);
    /// Takes the last reading, after everything has ended, and waits for it (at most twice kLimit).
    void end();
    /// Readings since the last call, in order.
    std::vector<Reading> take();
    /// What went wrong since begin(), in words; empty = nothing.
    std::string note() const;

    /// Counters that grow only when a request ends.
    std::vector<ServerCounter> countedAtRequestEnd() const;

private:
    void run();
    Result<CounterValues> ask();
    void waitForReading(std::unique_lock<std::mutex>& lock, Nanoseconds atMost);

    const CounterEndpoint m_endpoint;
    const CounterReader m_reader;
    const MonotonicClock m_clock;
    HttpClient m_http; ///< of the thread, but for check()
    std::atomic<bool> m_abort{false};

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_quit = false;
    bool m_on = false;  ///< a point runs
    bool m_now = false; ///< a reading is asked for at once
    Nanoseconds m_next{0};
    Nanoseconds m_windowStart{0}, m_windowEnd{0};
    std::vector<Reading> m_readings;
    int m_failures = 0, m_failuresInARow = 0;
    std::string m_lastError;
    std::thread m_thread;
};

} // namespace tailmark
