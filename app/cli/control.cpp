// SPDX-License-Identifier: GPL-3.0-or-later
#include "control.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tailmark::cli {

namespace {

// A signal handler can reach nothing else.
std::atomic<RunControl*> g_control{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<RunControl*>::is_always_lock_free);

std::atomic<const char*> g_news{nullptr};
std::atomic<bool> g_clearLine{false}; ///< of a progress that is rewritten
static_assert(std::atomic<const char*>::is_always_lock_free);

void onSignal(int signal)
{
    if (g_control.load()->stop.exchange(true)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    } else {
        const int error = errno;
        for (const char* text : {g_clearLine.load() ? "\r\033[K" : "", g_news.load(), "\n"})
            static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); // where nobody reads, nobody misses it
        errno = error;
    }
}

void obey(std::string_view line, RunControl& control)
{
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line == "pause")
        control.pauseAfter = true;
    else if (line == "resume")
        control.pauseAfter = false;
    else if (line == "skip")
        control.skipPoint = true;
    else if (line == "stop")
        control.stop = true;
}

} // namespace

void stopOnSignals(RunControl& control, const char* news)
{
    g_control = &control;
    g_news = news;
    g_clearLine = ::isatty(STDERR_FILENO) == 1;
    for (const int signal : {SIGINT, SIGTERM})
        std::signal(signal, onSignal);
    if (std::signal(SIGHUP, onSignal) == SIG_IGN)
        std::signal(SIGHUP, SIG_IGN); // started by nohup
    std::signal(SIGPIPE, SIG_IGN);
}

ControlLines::ControlLines(RunControl& control, bool stopAtEnd) : m_quit(eventfd(0, EFD_CLOEXEC))
{
    m_thread = std::thread([this, &control, stopAtEnd] { read(control, stopAtEnd); });
}

ControlLines::~ControlLines()
{
    eventfd_write(m_quit, 1);
    m_thread.join();
    ::close(m_quit);
}

void ControlLines::read(RunControl& control, bool stopAtEnd) const
{
    std::string pending;
    char buffer[256];
    for (;;) {
        pollfd descriptors[] = {{STDIN_FILENO, POLLIN, 0}, {m_quit, POLLIN, 0}};
        if (::poll(descriptors, 2, -1) < 0 && errno == EINTR)
            continue;
        if (descriptors[1].revents != 0)
            return;
        const ssize_t size = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0) {
            if (stopAtEnd)
                control.stop = true;
            return;
        }
        pending.append(buffer, static_cast<std::size_t>(size));
        for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
            obey(std::string_view(pending).substr(0, end), control);
    }
}

} // namespace tailmark::cli
