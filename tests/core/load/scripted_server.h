// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tailmark::test {

class ScriptedServer;

/// One request that the script answers.
class Exchange
{
public:
    int number = 0;       ///< of all requests, from 0
    int onConnection = 0; ///< of those on its connection, from 0
    std::string head;
    std::string body;

    void send(std::string_view text);
    /// The head of an event stream whose body is sent by chunk().
    void beginStream()
    {
        send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    }
    void chunk(std::string_view text)
    {
        char size[16];
        std::snprintf(size, sizeof size, "%zx\r\n", text.size());
        send(size + std::string(text) + "\r\n");
    }
    void endStream() { send("0\r\n\r\n"); }
    void respond(const std::string& status, const std::string& contentType, const std::string& text)
    {
        send("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType +
             "\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
    /// False when the server is being stopped or the client has closed.
    bool pause(std::chrono::milliseconds time);
    void close() { m_close = true; }

private:
    friend class ScriptedServer;
    ScriptedServer* m_server = nullptr;
    int m_fd = -1;
    bool m_close = false;
};

inline std::string tokenEvent(const std::string& text)
{
    return "data: "
           "{\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{"
           "\"content\":\"" +
           text + "\"},\"finish_reason\":null}]}\n\n";
}
inline std::string closingEvents(int promptTokens, int outputTokens)
{
    return "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
           "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" +
           std::to_string(promptTokens) + ",\"completion_tokens\":" + std::to_string(outputTokens) +
           "}}\n\ndata: [DONE]\n\n";
}
/// A short, complete stream.
inline void answer(Exchange& exchange, int tokens = 1, std::chrono::milliseconds gap = {})
{
    exchange.beginStream();
    for (int i = 0; i < tokens; ++i) {
        if (i > 0 && gap.count() > 0 && !exchange.pause(gap))
            return;
        exchange.chunk(tokenEvent("t"));
    }
    exchange.chunk(closingEvents(10, tokens));
    exchange.endStream();
}

/// An HTTP server on loopback whose script runs on one thread for each connection.
class ScriptedServer
{
public:
    using Script = std::function<void(Exchange&)>;

    explicit ScriptedServer(Script script, int backlog = 4096) : m_script(std::move(script))
    {
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(m_listener, backlog);
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
        if (m_script)
            m_acceptor = std::thread([this] { acceptAll(); });
    }
    ~ScriptedServer()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stopping = true;
        }
        m_stopped.notify_all();
        ::shutdown(m_listener, SHUT_RDWR);
        if (m_acceptor.joinable())
            m_acceptor.join();
        for (auto& connection : m_connections)
            ::shutdown(connection.fd, SHUT_RDWR);
        for (auto& connection : m_connections) {
            connection.thread.join();
            ::close(connection.fd);
        }
        ::close(m_listener);
    }

    int port() const { return m_port; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/v1/chat/completions"; }
    int connections() const { return m_accepted; }
    int requests() const { return m_requests; }
    int mostAtOnce() const { return m_mostAtOnce; }

private:
    friend class Exchange;
    struct Connection
    {
        int fd = -1;
        std::thread thread;
    };

    void acceptAll()
    {
        for (;;) {
            const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0)
                return;
            const int on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            ++m_accepted;
            Connection& connection = m_connections.emplace_back();
            connection.fd = fd;
            connection.thread = std::thread([this, fd] { serve(fd); });
        }
    }

    void serve(int fd)
    {
        std::string input;
        for (int n = 0;; ++n) {
            Exchange exchange;
            exchange.m_server = this;
            exchange.m_fd = fd;
            exchange.onConnection = n;
            if (!readRequest(fd, input, exchange))
                break;
            exchange.number = m_requests++;
            const int now = ++m_atOnce;
            for (int most = m_mostAtOnce; now > most && !m_mostAtOnce.compare_exchange_weak(most, now);) {
            }
            m_script(exchange);
            --m_atOnce;
            if (exchange.m_close)
                break;
        }
        ::shutdown(fd, SHUT_RDWR);
    }

    static bool readRequest(int fd, std::string& input, Exchange& exchange)
    {
        std::size_t length = 0;
        std::size_t head = std::string::npos;
        for (;;) {
            if (head == std::string::npos && (head = input.find("\r\n\r\n")) != std::string::npos) {
                head += 4;
                exchange.head = input.substr(0, head);
                const std::size_t at = exchange.head.find("Content-Length: ");
                length = at == std::string::npos ? 0 : std::stoul(exchange.head.substr(at + 16));
            }
            if (head != std::string::npos && input.size() >= head + length) {
                exchange.body = input.substr(head, length);
                input.erase(0, head + length);
                return true;
            }
            char buffer[16384];
            const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
            if (n <= 0)
                return false;
            input.append(buffer, static_cast<std::size_t>(n));
        }
    }

    Script m_script;
    int m_listener = -1;
    int m_port = 0;
    std::thread m_acceptor;
    std::list<Connection> m_connections;
    std::atomic<int> m_accepted{0}, m_requests{0}, m_atOnce{0}, m_mostAtOnce{0};
    std::mutex m_mutex;
    std::condition_variable m_stopped;
    bool m_stopping = false;
};

inline void Exchange::send(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::send(m_fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (n <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

inline bool Exchange::pause(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_server->m_mutex);
    if (m_server->m_stopped.wait_for(lock, time, [this] { return m_server->m_stopping; }))
        return false;
    pollfd state{m_fd, POLLRDHUP, 0};
    return ::poll(&state, 1, 0) == 0;
}

} // namespace tailmark::test
