// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <list>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tailmark::test {

inline sockaddr_in loopbackAddress(int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

inline void sendAtOnce(int fd)
{
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// A connected socket to that port of 127.0.0.1; −1 where nobody listens.
inline int connectLoopback(int port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopbackAddress(port);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd);
        return -1;
    }
    sendAtOnce(fd);
    return fd;
}

inline bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// Accepts on a free port of 127.0.0.1 and serves each connection on a thread of its own; the connection is
/// closed when `serve` returns, which it has to do soon once stopping(). Last member of its owner, so that
/// the threads end first.
class LoopbackListener
{
public:
    explicit LoopbackListener(std::function<void(int client)> serve) : m_serve(std::move(serve))
    {
        m_fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopbackAddress(0);
        socklen_t size = sizeof address;
        if (::bind(m_fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(m_fd, 4096) != 0 ||
            ::getsockname(m_fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            std::abort(); // a machine without loopback cannot run these tests
        m_port = ntohs(address.sin_port);
        m_acceptor = std::thread([this] { acceptAll(); });
    }
    ~LoopbackListener()
    {
        m_stopping = true;
        ::shutdown(m_fd, SHUT_RDWR);
        m_acceptor.join();
        for (std::thread& connection : m_connections)
            connection.join();
        ::close(m_fd);
    }
    LoopbackListener(const LoopbackListener&) = delete;
    LoopbackListener& operator=(const LoopbackListener&) = delete;

    int port() const { return m_port; }
    int accepted() const { return m_accepted; }
    bool stopping() const { return m_stopping; }
    /// Waits until the socket can be read; false when it is time to stop.
    bool waitFor(int fd) const
    {
        for (pollfd ready{fd, POLLIN, 0}; !m_stopping;)
            if (::poll(&ready, 1, 50) > 0)
                return true;
        return false;
    }

private:
    void acceptAll()
    {
        for (;;) {
            const int client = ::accept4(m_fd, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0 || m_stopping) {
                if (client >= 0)
                    ::close(client);
                return;
            }
            ++m_accepted;
            sendAtOnce(client);
            m_connections.emplace_back([this, client] {
                m_serve(client);
                ::close(client);
            });
        }
    }

    const std::function<void(int)> m_serve;
    int m_fd = -1;
    int m_port = 0;
    std::atomic<bool> m_stopping{false};
    std::atomic<int> m_accepted{0};
    std::thread m_acceptor;
    std::list<std::thread> m_connections; ///< the acceptor's until it has ended
};

} // namespace tailmark::test
