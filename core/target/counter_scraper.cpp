// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/counter_scraper.h"

#include "target/error_text.h"

#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tailmark {

Nanoseconds nextScrape(Nanoseconds last, Nanoseconds windowStart, Nanoseconds windowEnd)
{
    constexpr Nanoseconds period = CounterScraper::kPeriod;
    // a step that would come right after the last one is left out
    const Nanoseconds earliest = last + period / 4;
    const Nanoseconds before = (earliest - windowStart) % period;
    const Nanoseconds inStep = before > Nanoseconds(0) ? earliest + period - before : earliest - before;
    return last < windowEnd && windowEnd < inStep ? windowEnd : inStep;
}

CounterScraper::CounterScraper(CounterEndpoint endpoint)
    : m_endpoint(std::move(endpoint)), m_reader(m_endpoint.sources),
      m_http(m_endpoint.headers, m_endpoint.connection, &m_abort), m_thread([this] { run(); })
{
}

CounterScraper::~CounterScraper()
{
    m_abort = true;
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

Status CounterScraper::check()
{
    const Result<CounterValues> values = ask();
    if (values && !values.value().empty())
        return success();
    const std::string hint = m_endpoint.hint.empty() ? "" : " (" + m_endpoint.hint + ")";
    if (values)
        return Error{ErrorCode::Unreachable, hideSecrets(m_endpoint.url),
                     "tells none of the known counters" + hint};
    Error error = values.error();
    error.message += hint;
    return error;
}

Result<CounterValues> CounterScraper::ask()
{
    HttpLimits limits;
    limits.connectS = limits.totalS = toSeconds(kLimit);
    const Result<HttpReply> reply = m_http.get(m_endpoint.url, limits);
    if (!reply)
        return reply.error();
    const HttpReply& answer = reply.value();
    if (answer.status != 200)
        return Error{ErrorCode::Unreachable, hideSecrets(m_endpoint.url),
                     "answered HTTP " + std::to_string(answer.status)};
    if (!answer.complete)
        return Error{ErrorCode::Unreachable, hideSecrets(m_endpoint.url), "the answer was cut off"};
    return m_reader.read(answer.body);
}

std::optional<double> CounterScraper::waitUntilIdle(Nanoseconds atMost, const std::atomic<bool>& stop)
{
    constexpr auto pause = std::chrono::milliseconds(100);
    const Nanoseconds until = m_clock.now() + atMost;
    for (;;) {
        const Result<CounterValues> values = ask();
        std::optional<double> requests;
        if (values)
            for (const auto& [counter, value] : values.value())
                if (counter == ServerCounter::Running || counter == ServerCounter::Waiting)
                    requests = requests.value_or(0) + value;
        if (!requests || *requests <= 0 || stop || m_clock.now() >= until)
            return requests;
        std::this_thread::sleep_for(pause);
    }
}

void CounterScraper::begin()
{
    std::unique_lock lock(m_mutex);
    m_readings.clear();
    m_failures = m_failuresInARow = 0;
    m_lastError.clear();
    m_on = m_now = true;
    m_windowStart = m_windowEnd = m_clock.now();
    waitForReading(lock, kLimit);
}

void CounterScraper::aim(Nanoseconds windowStart, Nanoseconds windowEnd)
{
    const std::lock_guard lock(m_mutex);
    m_windowStart = windowStart;
    m_windowEnd = windowEnd;
    m_next = nextScrape(m_clock.now(), windowStart, windowEnd);
    m_changed.notify_all();
}

void CounterScraper::end()
{
    std::unique_lock lock(m_mutex);
    if (m_on && m_failuresInARow < kPatience) {
        m_now = true;
        waitForReading(lock, 2 * kLimit);
    }
    m_on = m_now = false;
}

/// Until the reading that is asked for now has been taken, or was given up.
void CounterScraper::waitForReading(std::unique_lock<std::mutex>& lock, Nanoseconds atMost)
{
    m_changed.notify_all();
    m_changed.wait_for(lock, atMost, [&] { return !m_now; });
}

std::vector<CounterScraper::Reading> CounterScraper::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_readings, {});
}

std::string CounterScraper::note() const
{
    const std::lock_guard lock(m_mutex);
    if (m_failures == 0)
        return {};
    const std::string times = m_failures == 1 ? "once" : std::to_string(m_failures) + " times";
    return "The server's counters could not be read " + times + ": " + m_lastError +
           (m_failuresInARow >= kPatience ? "; they were not asked for any more in that point" : "");
}

std::vector<ServerCounter> CounterScraper::countedAtRequestEnd() const
{
    std::vector<ServerCounter> counters;
    for (const ServerCounterInfo& info : serverCounters())
        if (m_reader.atRequestEnd(info.counter))
            counters.push_back(info.counter);
    return counters;
}

void CounterScraper::run()
{
    ::pthread_setname_np(::pthread_self(), "scrape");
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10); // the load comes first
    std::unique_lock lock(m_mutex);
    while (!m_quit) {
        const bool due = m_on && m_failuresInARow < kPatience;
        if (!due && !m_now) {
            m_changed.wait(lock);
            continue;
        }
        const Nanoseconds now = m_clock.now();
        if (!m_now && now < m_next) {
            m_changed.wait_for(lock, m_next - now);
            continue;
        }
        const bool asked = m_now;
        lock.unlock();
        const Nanoseconds before = m_clock.now();
        Result<CounterValues> values = ask();
        const Nanoseconds after = m_clock.now();
        lock.lock();
        if (values) {
            m_failuresInARow = 0;
            m_readings.push_back({before + (after - before) / 2, std::move(values).value()});
        } else {
            ++m_failures;
            ++m_failuresInARow;
            m_lastError = values.error().line();
        }
        m_next = nextScrape(after, m_windowStart, m_windowEnd);
        if (asked) {
            m_now = false;
            m_changed.notify_all();
        }
    }
}

} // namespace tailmark
