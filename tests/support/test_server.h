// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tailmark::test {

/// A request as it came. Header names in lower case.
struct ServedRequest
{
    std::string method;
    std::string target; ///< path with query
    std::map<std::string, std::string> headers;
    std::string body;

    std::string path() const { return target.substr(0, target.find('?')); }
    std::string header(const std::string& lowerCaseName) const
    {
        const auto it = headers.find(lowerCaseName);
        return it == headers.end() ? std::string() : it->second;
    }
};

/// What the server answers, and how it behaves on the wire while it does.
struct Reply
{
    enum class Framing { Length, Chunked, UntilClose };
    enum class End {
        KeepAlive, ///< properly, the connection stays
        Close,     ///< properly, then closed without a word about it in the headers
        Cut,       ///< closed after the pieces, before what the framing promises
        Reset,     ///< the same with a TCP reset
        Hang,      ///< silent after the pieces until the server is destroyed
    };

    int status = 200;
    std::string contentType = "application/json";
    std::vector<std::string> pieces; ///< of the body; each is one write, and one chunk where chunked
    std::vector<std::string> extraHeaders;
    Framing framing = Framing::Length;
    End end = End::KeepAlive;
    std::chrono::milliseconds beforeHeaders{0}; ///< silence before anything is sent
    std::chrono::milliseconds beforePiece{0};   ///< silence before each piece
    bool headers = true;                        ///< false: nothing is sent at all before `end`

    static Reply json(std::string body, int status = 200)
    {
        return text(std::move(body), status, "application/json");
    }
    static Reply text(std::string body, int status = 200, std::string type = "text/plain")
    {
        Reply reply;
        reply.status = status;
        reply.contentType = std::move(type);
        reply.pieces.push_back(std::move(body));
        return reply;
    }
    /// An event stream, one piece per event.
    static Reply events(const std::vector<std::string>& data)
    {
        Reply reply;
        reply.contentType = "text/event-stream";
        reply.framing = Framing::Chunked;
        for (const std::string& d : data)
            reply.pieces.push_back("data: " + d + "\n\n");
        return reply;
    }
    /// The connection is accepted and the request read, and then nothing.
    static Reply hang()
    {
        Reply reply;
        reply.headers = false;
        reply.end = End::Hang;
        return reply;
    }
    /// The same with the body in pieces of `bytes`, wherever they fall.
    Reply inPiecesOf(std::size_t bytes) const
    {
        Reply reply = *this;
        std::string whole;
        for (const std::string& piece : pieces)
            whole += piece;
        reply.pieces.clear();
        for (std::size_t at = 0; at < whole.size(); at += bytes)
            reply.pieces.push_back(whole.substr(at, bytes));
        return reply;
    }
};

/// A scripted HTTP/1.1 server on a free port of 127.0.0.1: plain sockets, a thread for each connection. A
/// path answers with its replies in turn, the last one again and again; unknown paths answer 404.
///
///     TestServer server;
///     server.on("/v1/models", Reply::json("{…}"));
///     … server.url("/v1") …
///     server.requests().front().header("authorization")
class TestServer
{
public:
    TestServer()
    {
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (m_listener < 0 || ::bind(m_listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(m_listener, 256) != 0 ||
            ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
            std::abort(); // a machine without loopback cannot run these tests
        m_port = ntohs(address.sin_port);
        m_acceptor = std::thread([this] { acceptLoop(); });
    }
    ~TestServer()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stopping = true;
            for (const int socket : m_open)
                ::shutdown(socket, SHUT_RDWR);
        }
        m_stopped.notify_all();
        ::shutdown(m_listener, SHUT_RDWR);
        m_acceptor.join();
        for (std::thread& connection : m_connections)
            connection.join();
        ::close(m_listener);
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    int port() const { return m_port; }
    std::string url(const std::string& path = "") const
    {
        return "http://127.0.0.1:" + std::to_string(m_port) + path;
    }

    void on(const std::string& path, Reply reply) { on(path, std::vector<Reply>{std::move(reply)}); }
    void on(const std::string& path, std::vector<Reply> replies)
    {
        const std::lock_guard lock(m_mutex);
        m_script[path] = {std::move(replies), 0};
    }
    /// Decides every reply instead of the script. Called on the connections' threads, one at a time.
    void answerWith(std::function<Reply(const ServedRequest&)> handler)
    {
        const std::lock_guard lock(m_mutex);
        m_handler = std::move(handler);
    }

    /// All requests so far, in the order in which they came.
    std::vector<ServedRequest> requests() const
    {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }
    /// Those of one path.
    std::vector<ServedRequest> requests(const std::string& path) const
    {
        std::vector<ServedRequest> found = requests();
        std::erase_if(found, [&](const ServedRequest& request) { return request.path() != path; });
        return found;
    }
    int acceptedConnections() const { return m_accepted; }

private:
    struct Script
    {
        std::vector<Reply> replies;
        std::size_t next = 0;
    };

    void acceptLoop()
    {
        for (;;) {
            const int socket = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            const std::lock_guard lock(m_mutex);
            if (m_stopping || socket < 0) {
                if (socket >= 0)
                    ::close(socket);
                return;
            }
            ++m_accepted;
            const int on = 1;
            ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            m_open.push_back(socket);
            m_connections.emplace_back([this, socket] {
                serve(socket);
                const std::lock_guard closing(m_mutex);
                m_open.remove(socket);
                ::close(socket);
            });
        }
    }

    void serve(int socket)
    {
        std::string buffer;
        ServedRequest request;
        while (readRequest(socket, buffer, request) && send(socket, replyTo(request))) {
        }
    }

    static bool readMore(int socket, std::string& buffer)
    {
        char bytes[16384];
        const ssize_t n = ::recv(socket, bytes, sizeof bytes, 0);
        if (n > 0)
            buffer.append(bytes, static_cast<std::size_t>(n));
        return n > 0;
    }

    static bool readRequest(int socket, std::string& buffer, ServedRequest& request)
    {
        std::size_t end = 0;
        while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
            if (!readMore(socket, buffer))
                return false;
        request = {};
        std::string_view head(buffer.data(), end);
        const auto line = [&head] {
            const std::size_t eol = std::min(head.find("\r\n"), head.size());
            const std::string_view text = head.substr(0, eol);
            head.remove_prefix(std::min(head.size(), eol + 2));
            return text;
        };
        const std::string_view start = line();
        const std::size_t space = start.find(' ');
        request.method = start.substr(0, space);
        request.target = start.substr(space + 1, start.rfind(' ') - space - 1);
        while (!head.empty()) {
            const std::string_view field = line();
            const std::size_t colon = field.find(':');
            std::string name(field.substr(0, colon));
            std::transform(name.begin(), name.end(), name.begin(), ::tolower);
            request.headers[name] =
                field.substr(std::min(field.size(), field.find_first_not_of(' ', colon + 1)));
        }
        buffer.erase(0, end + 4);
        const std::size_t length = std::strtoul(request.header("content-length").c_str(), nullptr, 10);
        while (buffer.size() < length)
            if (!readMore(socket, buffer))
                return false;
        request.body = buffer.substr(0, length);
        buffer.erase(0, length);
        return true;
    }

    Reply replyTo(const ServedRequest& request)
    {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(request);
        if (m_handler)
            return m_handler(request);
        const auto script = m_script.find(request.path());
        if (script == m_script.end())
            return Reply::json("{\"detail\":\"Not Found\"}", 404);
        Script& s = script->second;
        const Reply reply = s.replies[s.next];
        s.next = std::min(s.next + 1, s.replies.size() - 1);
        return reply;
    }

    bool pause(std::chrono::milliseconds time)
    {
        std::unique_lock lock(m_mutex);
        return !m_stopped.wait_for(lock, time, [this] { return m_stopping; });
    }

    static bool write(int socket, std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }

    static std::string headOf(const Reply& reply)
    {
        std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\n";
        if (!reply.contentType.empty())
            head += "Content-Type: " + reply.contentType + "\r\n";
        for (const std::string& line : reply.extraHeaders)
            head += line + "\r\n";
        std::size_t length = 0;
        for (const std::string& piece : reply.pieces)
            length += piece.size();
        if (reply.framing == Reply::Framing::Chunked)
            head += "Transfer-Encoding: chunked\r\n";
        else if (reply.framing == Reply::Framing::Length)
            head +=
                "Content-Length: " + std::to_string(length + (reply.end == Reply::End::Cut ? 1 : 0)) + "\r\n";
        else
            head += "Connection: close\r\n";
        return head + "\r\n";
    }

    /// False when the connection is to be closed.
    bool send(int socket, const Reply& reply)
    {
        const bool chunked = reply.framing == Reply::Framing::Chunked;
        if (!pause(reply.beforeHeaders))
            return false;
        if (reply.headers) {
            std::string pending = headOf(reply); // goes out with the first piece, as real servers do
            for (const std::string& piece : reply.pieces) {
                if (reply.beforePiece.count() > 0) {
                    if (!write(socket, std::exchange(pending, {})) || !pause(reply.beforePiece))
                        return false;
                }
                if (chunked) {
                    char size[20];
                    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
                    pending += size + piece + "\r\n";
                } else {
                    pending += piece;
                }
                if (!write(socket, std::exchange(pending, {})))
                    return false;
            }
            const bool proper = reply.end == Reply::End::KeepAlive || reply.end == Reply::End::Close;
            if (chunked && proper)
                pending += "0\r\n\r\n";
            if (!write(socket, pending))
                return false;
        }
        switch (reply.end) {
        case Reply::End::KeepAlive:
            return reply.framing != Reply::Framing::UntilClose;
        case Reply::End::Hang:
            pause(std::chrono::hours(1));
            return false;
        case Reply::End::Reset: {
            const linger hard{1, 0};
            ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
            return false;
        }
        case Reply::End::Close:
        case Reply::End::Cut:
            return false;
        }
        return false;
    }

    int m_listener = -1;
    int m_port = 0;
    std::thread m_acceptor;
    mutable std::mutex m_mutex;
    std::condition_variable m_stopped;
    bool m_stopping = false;
    std::atomic<int> m_accepted{0};
    std::list<int> m_open;
    std::list<std::thread> m_connections;
    std::map<std::string, Script> m_script;
    std::function<Reply(const ServedRequest&)> m_handler;
    std::vector<ServedRequest> m_requests;
};

} // namespace tailmark::test
