// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/started_program.h"

#include "target/error_text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tailmark {

namespace {

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr auto kAskedFor = std::chrono::seconds(10);

bool isPlain(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || std::strchr("_-./:=,+@%", c);
    });
}

/// In the child: becomes the program, or tells why it cannot. Nothing here may allocate.
[[noreturn]] void become(char* const* arguments, int output, int failure, bool mayOutlive)
{
    ::setpgid(0, 0);
    if (!mayOutlive)
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP})
        ::signal(signal, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
        ::dup2(output, STDERR_FILENO) >= 0)
        ::execvp(arguments[0], arguments);
    const int reason = errno;
    const ssize_t written = ::write(failure, &reason, sizeof reason);
    ::_exit(written == sizeof reason ? 127 : 126);
}

} // namespace

std::string commandText(const std::vector<std::string>& command)
{
    std::string text;
    for (const std::string& word : command) {
        text += text.empty() ? "" : " ";
        if (isPlain(word)) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word)
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

Result<StartedProgram> StartedProgram::start(const std::vector<std::string>& command, bool mayOutlive)
{
    const std::string where = plainLine(commandText(command));
    StartedProgram program;
    program.m_output.reset(std::tmpfile());
    int failure[2] = {-1, -1};
    if (!program.m_output || ::pipe2(failure, O_CLOEXEC) != 0)
        return Error{ErrorCode::Internal, where, std::string("could not be prepared: ") + std::strerror(errno)};
    std::vector<char*> arguments;
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);

    const pid_t pid = ::fork();
    if (pid == 0)
        become(arguments.data(), ::fileno(program.m_output.get()), failure[1], mayOutlive);
    const int forkError = errno;
    ::close(failure[1]);
    int reason = 0;
    const bool failed = pid > 0 && ::read(failure[0], &reason, sizeof reason) == sizeof reason; // else its end, by exec
    ::close(failure[0]);
    if (pid < 0)
        return Error{ErrorCode::Internal, where, std::string("could not be started: ") + std::strerror(forkError)};
    program.m_pid = pid;
    if (failed)
        return Error{ErrorCode::BadInput, where, std::string("could not be started: ") + std::strerror(reason)};
    return program;
}

StartedProgram::StartedProgram(StartedProgram&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_ended(other.m_ended), m_kept(other.m_kept),
      m_output(std::move(other.m_output))
{
}

StartedProgram::~StartedProgram()
{
    if (m_pid <= 0 || m_kept)
        return;
    // The group: the processes that it started have to go with it, also where it went before them.
    ::kill(-m_pid, SIGTERM);
    const auto until = std::chrono::steady_clock::now() + kAskedFor;
    while (!hasEnded() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(kPoll);
    ::kill(-m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
}

/// Its number is kept for it until this object has gone, so that no signal ever reaches another.
bool StartedProgram::hasEnded()
{
    siginfo_t info{};
    if (!m_ended && ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == m_pid)
        m_ended = info.si_code == CLD_EXITED ? "ended with exit code " + std::to_string(info.si_status)
                                             : "was ended by signal " + std::to_string(info.si_status);
    return m_ended.has_value();
}

std::optional<std::string> StartedProgram::ended()
{
    if (!hasEnded())
        return std::nullopt;
    const std::string line = lastLine();
    return line.empty() ? *m_ended : *m_ended + "; it wrote last: " + line;
}

std::string StartedProgram::lastLine() const
{
    char tail[2000];
    const int file = ::fileno(m_output.get());
    struct stat facts{};
    ::fstat(file, &facts);
    const ssize_t got =
        ::pread(file, tail, sizeof tail, std::max<off_t>(0, facts.st_size - static_cast<off_t>(sizeof tail)));
    std::string_view text(tail, got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    const std::size_t start = text.rfind('\n');
    return plainLine(std::string(start == std::string_view::npos ? text : text.substr(start + 1)), 300);
}

} // namespace tailmark
