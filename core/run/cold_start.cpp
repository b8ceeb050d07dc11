// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/cold_start.h"

#include "plan/json_visitors.h"
#include "target/address.h"
#include "target/error_text.h"
#include "target/http_client.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace tailmark {

namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);
/// Of one attempt: an engine that loads its model may take a connection and leave it at that.
constexpr double kAttemptS = 2;

std::string commandKey(std::size_t test)
{
    return keys::indexed("tests", test) + ".command";
}

} // namespace

const Test* coldStartOf(const Plan& plan)
{
    if (plan.points.empty() || plan.points.front().kind != TestKind::ColdStart)
        return nullptr;
    return &plan.matrix.tests.at(static_cast<std::size_t>(plan.points.front().testIndex));
}

Status checkCommandAllowed(const Plan& plan, const std::string& allowed)
{
    const Test* test = coldStartOf(plan);
    if (!test || test->command.empty() || commandText(test->command) == allowed)
        return success();
    return Error{ErrorCode::BadInput, commandKey(static_cast<std::size_t>(plan.points.front().testIndex)),
                 "starts a program, which only you can allow; allowed is " +
                     (allowed.empty() ? "none" : plainLine(allowed)) +
                     ", the command is: " + plainLine(commandText(test->command), 1'000)};
}

ColdStart::ColdStart(const Matrix& matrix, const Test& test, const RunControl& control,
                     std::function<void(const RunEvent&)> notify)
    : m_matrix(matrix), m_test(test), m_control(control), m_notify(std::move(notify))
{
}

Status ColdStart::bringUp()
{
    m_facts.command = plainLine(commandText(m_test.command), 1'000);
    if (!m_test.command.empty())
        m_notify(Preparation{"starting: " + m_facts.command, 0, 1});
    m_start = m_clock.now();
    if (!m_test.command.empty()) {
        Result<StartedProgram> program = StartedProgram::start(m_test.command, m_test.keepRunning);
        if (!program)
            return Error{program.error().code,
                         commandKey(static_cast<std::size_t>(&m_test - m_matrix.tests.data())),
                         program.error().line()};
        m_program.emplace(std::move(program).value());
    }
    if (Status status = waitUntilReady(); !status)
        return status;
    if (m_program && m_test.keepRunning)
        m_program->letGo();
    return success();
}

Status ColdStart::waitUntilReady()
{
    const Target& target = m_matrix.target;
    Result<std::vector<std::string>> headers = requestHeaders(target);
    if (!headers)
        return headers.error();
    HttpClient http(std::move(headers).value(), connectionOf(target), &m_control.stop);
    const HttpLimits limits{kAttemptS, kAttemptS};
    bool connected = false;
    std::string last;
    for (;; ++m_facts.failedAttempts) {
        const Result<HttpReply> models = http.get(apiUrl(target, "/models"), limits);
        const double now = toSeconds(m_clock.now() - m_start);
        if (!connected && (models || http.connected())) {
            connected = true;
            m_facts.connectedS = now;
        }
        bool ready = models && models.value().status == 200;
        last = !models ? models.error().message : "HTTP " + std::to_string(models.value().status);
        if (ready) {
            // 404: an engine that has none
            const Result<HttpReply> health = http.get(serverUrl(target, "/health"), limits);
            ready = health && health.value().status < 500;
            last = !health ? health.error().message : "/health: HTTP " + std::to_string(health.value().status);
        }
        if (ready) {
            m_facts.readyS = toSeconds(m_clock.now() - m_start);
            return success();
        }
        const std::string where = hideSecrets(apiUrl(target, ""));
        if (m_control.stop)
            return Error{ErrorCode::Cancelled, where, "stopped before the target was ready"};
        if (m_program)
            if (const std::optional<std::string> ended = m_program->ended())
                return Error{ErrorCode::Unreachable, m_facts.command,
                             "the command " + *ended + "; the target was not ready by then"};
        if (now >= m_test.timeoutS)
            return Error{ErrorCode::Unreachable, where,
                         "the target was not ready within " + std::to_string(std::lround(m_test.timeoutS)) +
                             " s (timeout_s); at last: " + last};
        tellWait(now);
        std::this_thread::sleep_for(kPoll);
    }
}

void ColdStart::tellWait(double seconds)
{
    const int whole = static_cast<int>(seconds);
    if (std::exchange(m_told, whole) != whole)
        m_notify(Preparation{"waiting for the target, seconds", whole, static_cast<int>(std::ceil(m_test.timeoutS))});
}

ColdStartFacts ColdStart::facts(Nanoseconds requestsFrom) const
{
    ColdStartFacts facts = m_facts;
    facts.requestsFromS = toSeconds(requestsFrom - m_start);
    return facts;
}

} // namespace tailmark
