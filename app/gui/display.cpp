// SPDX-License-Identifier: GPL-3.0-or-later
#include "display.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tailmark {

namespace {

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool canConnect(const std::string& path, bool abstract)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t offset = abstract ? 1 : 0;
    if (path.size() + offset >= sizeof address.sun_path)
        return false;
    std::memcpy(address.sun_path + offset, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return false;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + path.size());
    const bool connected = connect(descriptor, reinterpret_cast<const sockaddr*>(&address), length) == 0;
    close(descriptor);
    return connected;
}

/// ":1", ":1.0", "unix:1"; a display on another host is Qt's to try.
bool x11Answers(const std::string& display)
{
    const std::size_t colon = display.rfind(':');
    if (colon == std::string::npos)
        return false;
    const std::string host = display.substr(0, colon);
    if (!host.empty() && host != "unix")
        return true;
    const std::string number = display.substr(colon + 1, display.find('.', colon) - colon - 1);
    const std::string path = "/tmp/.X11-unix/X" + number;
    return canConnect(path, true) || canConnect(path, false);
}

bool waylandAnswers(const std::string& display)
{
    return canConnect(display.starts_with('/') ? display : environment("XDG_RUNTIME_DIR") + "/" + display,
                      false);
}

} // namespace

std::string displayProblem()
{
    if (!environment("QT_QPA_PLATFORM").empty())
        return {}; // the user knows better
    const std::string wayland = environment("WAYLAND_DISPLAY");
    const std::string x11 = environment("DISPLAY");
    if (wayland.empty() && x11.empty())
        return "no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
    if (!wayland.empty() && waylandAnswers(wayland))
        return {};
    if (!x11.empty() && x11Answers(x11))
        return {};
    return "no display answers at " + (x11.empty() ? wayland : x11);
}

} // namespace tailmark
