// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "loopback_listener.h"

#include <mutex>
#include <string>
#include <vector>

namespace tailmark::test {

/// A forward proxy on a free port of 127.0.0.1 that leads everything to one port of it, whatever host the
/// client names: plain requests as they are, and tunnels (CONNECT). Remembers the head of each connection's
/// first request.
class TestProxy
{
public:
    explicit TestProxy(int backendPort, std::string refusal = {})
        : m_backendPort(backendPort), m_refusal(std::move(refusal))
    {
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_listener.port()); }
    std::vector<std::string> heads() const
    {
        const std::lock_guard lock(m_mutex);
        return m_heads;
    }

private:
    void serve(int client)
    {
        char bytes[16'384];
        std::string received;
        std::size_t end = std::string::npos;
        while ((end = received.find("\r\n\r\n")) == std::string::npos) {
            const ssize_t n = m_listener.waitFor(client) ? ::recv(client, bytes, sizeof bytes, 0) : 0;
            if (n <= 0)
                return;
            received.append(bytes, static_cast<std::size_t>(n));
        }
        {
            const std::lock_guard lock(m_mutex);
            m_heads.push_back(received.substr(0, end));
        }
        if (!m_refusal.empty()) {
            writeAll(client, "HTTP/1.1 " + m_refusal + "\r\nContent-Length: 0\r\n\r\n");
            return;
        }
        const int backend = connectLoopback(m_backendPort);
        if (backend >= 0) {
            const bool tunnel = received.starts_with("CONNECT ");
            if (tunnel ? writeAll(client, "HTTP/1.1 200 Connected\r\n\r\n") : writeAll(backend, received))
                relay(client, backend);
            ::close(backend);
        }
    }
    void relay(int client, int backend)
    {
        char bytes[16'384];
        while (!m_listener.stopping()) {
            pollfd ready[] = {{client, POLLIN, 0}, {backend, POLLIN, 0}};
            if (::poll(ready, 2, 50) <= 0)
                continue;
            for (int from = 0; from < 2; ++from) {
                if (ready[from].revents == 0)
                    continue;
                const ssize_t n = ::recv(ready[from].fd, bytes, sizeof bytes, 0);
                if (n <= 0 || !writeAll(ready[1 - from].fd, {bytes, static_cast<std::size_t>(n)}))
                    return;
            }
        }
    }

    const int m_backendPort;
    const std::string m_refusal; ///< status line to answer everything with; empty = none
    mutable std::mutex m_mutex;
    std::vector<std::string> m_heads;
    LoopbackListener m_listener{[this](int client) { serve(client); }};
};

} // namespace tailmark::test
