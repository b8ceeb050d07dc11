// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/http_server.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tailmark::sim {

namespace {

constexpr int kBacklog = 4096;
constexpr timeval kAcceptPause{0, 50'000};

} // namespace

HttpServer::HttpServer(EventLoop& loop, HttpHandler& handler) : m_loop(loop), m_handler(handler)
{
    const auto resume = [](evutil_socket_t, short, void* self) {
        evconnlistener_enable(static_cast<HttpServer*>(self)->m_listener);
    };
    m_acceptPause.reset(evtimer_new(loop.base(), resume, this));
}

HttpServer::~HttpServer()
{
    m_connections.clear();
    if (m_listener)
        evconnlistener_free(m_listener);
}

Result<int> HttpServer::listen(const std::string& host, int port)
{
    const std::string where = host + ":" + std::to_string(port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0)
        return Error{ErrorCode::BadInput, host, gai_strerror(error)};
    const auto onAccept = [](evconnlistener*, evutil_socket_t fd, sockaddr*, int, void* self) {
        static_cast<HttpServer*>(self)->accepted(fd);
    };
    m_listener = evconnlistener_new_bind(m_loop.base(), onAccept, this,
                                         LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
                                         kBacklog, found->ai_addr, static_cast<int>(found->ai_addrlen));
    const int error = errno;
    freeaddrinfo(found);
    if (!m_listener)
        return Error{ErrorCode::Io, where, std::string("cannot listen: ") + std::strerror(error)};
    evconnlistener_set_error_cb(
        m_listener, [](evconnlistener*, void* self) { static_cast<HttpServer*>(self)->acceptFailed(); });

    sockaddr_storage address{};
    socklen_t length = sizeof address;
    getsockname(evconnlistener_get_fd(m_listener), reinterpret_cast<sockaddr*>(&address), &length);
    return int(ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                                   : reinterpret_cast<sockaddr_in&>(address).sin_port));
}

Connection* HttpServer::find(std::uint64_t connectionId) const
{
    const auto it = m_connections.find(connectionId);
    return it == m_connections.end() ? nullptr : it->second.get();
}

void HttpServer::accepted(int fd)
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::uint64_t id = m_nextId++;
    m_connections.emplace(id, std::make_unique<Connection>(*this, id, fd));
}

void HttpServer::acceptFailed()
{
    // Out of descriptors: the waiting connection would wake the loop for ever.
    evconnlistener_disable(m_listener);
    evtimer_add(m_acceptPause.get(), &kAcceptPause);
}

void HttpServer::remove(std::uint64_t connectionId)
{
    m_connections.erase(connectionId);
}

Connection::Connection(HttpServer& server, std::uint64_t id, int fd) : m_server(server), m_id(id), m_fd(fd)
{
    event_base* base = server.m_loop.base();
    const auto onRead = [](evutil_socket_t, short, void* self) {
        static_cast<Connection*>(self)->readable();
    };
    const auto onWrite = [](evutil_socket_t, short, void* self) {
        static_cast<Connection*>(self)->writable();
    };
    m_readEvent.reset(event_new(base, fd, EV_READ | EV_PERSIST, onRead, this));
    m_writeEvent.reset(event_new(base, fd, EV_WRITE | EV_PERSIST, onWrite, this));
    event_add(m_readEvent.get(), nullptr);
}

Connection::~Connection()
{
    m_readEvent.reset();
    m_writeEvent.reset();
    ::close(m_fd);
}

void Connection::readable()
{
    char bytes[65536];
    while (true) {
        const ssize_t n = recv(m_fd, bytes, sizeof bytes, 0);
        if (n > 0) {
            m_parser.append({bytes, static_cast<std::size_t>(n)});
            if (static_cast<std::size_t>(n) < sizeof bytes)
                break;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            break;
        } else {
            lost();
            return;
        }
    }
    process();
}

void Connection::process()
{
    if (m_processing)
        return;
    m_processing = true;
    const HttpServer& server = m_server;
    const std::uint64_t id = m_id;
    while (!m_open && !m_closeWhenSent && !m_parser.empty()) {
        const HttpParser::State state = m_parser.parse();
        if (m_parser.takeExpectContinue() && state == HttpParser::State::NeedMore)
            send("HTTP/1.1 100 Continue\r\n\r\n");
        if (state == HttpParser::State::NeedMore)
            break;
        m_open = true;
        if (state == HttpParser::State::Bad) {
            m_keepAlive = false;
            respond(m_parser.badStatus(), "text/plain", httpReason(m_parser.badStatus()));
        } else {
            HttpRequest request = m_parser.take();
            m_keepAlive = request.keepAlive;
            m_chunked = request.http11;
            m_server.m_handler.onRequest(*this, std::move(request));
        }
        if (server.find(id) != this)
            return; // closed meanwhile: nothing of this object may be touched
    }
    m_processing = false;
}

std::string Connection::headOf(int status, std::string_view contentType) const
{
    std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
    head.append(httpReason(status)).append("\r\nserver: tailmark-sim\r\n");
    if (!contentType.empty())
        head.append("content-type: ").append(contentType).append("\r\n");
    if (!m_keepAlive)
        head += "connection: close\r\n";
    return head;
}

void Connection::respond(int status, std::string_view contentType, std::string_view body,
                         std::string_view headers)
{
    std::string answer = headOf(status, contentType);
    answer.append(headers).append("content-length: ").append(std::to_string(body.size())).append("\r\n\r\n");
    answer.append(body);
    send(answer);
    finish();
}

void Connection::beginStream(int status, std::string_view contentType)
{
    if (!m_chunked)
        m_keepAlive = false; // HTTP/1.0: the end of the connection is the end of the stream
    std::string head = headOf(status, contentType);
    head += "cache-control: no-cache\r\n";
    if (m_chunked)
        head += "transfer-encoding: chunked\r\n";
    send(head += "\r\n");
}

void Connection::addChunk(std::string_view body)
{
    if (!m_chunked) {
        m_chunks.append(body);
        return;
    }
    char size[20];
    char* end = std::to_chars(size, size + 16, body.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    m_chunks.append(size, end).append(body).append("\r\n");
}

void Connection::flush()
{
    send(m_chunks);
    m_chunks.clear();
}

void Connection::endStream()
{
    if (m_chunked)
        m_chunks += "0\r\n\r\n";
    flush();
    finish();
}

void Connection::finish()
{
    m_open = false;
    openRequest = 0;
    if (!m_keepAlive) {
        m_closeWhenSent = true;
        if (m_pending.empty())
            shutdown(m_fd, SHUT_WR); // the client's own end of file then ends the connection
    } else if (!m_processing && !m_parser.empty()) {
        event_active(m_readEvent.get(), EV_READ, 0); // a request that was sent ahead
    }
}

void Connection::send(std::string_view bytes)
{
    if (m_broken)
        return;
    if (m_pending.empty()) {
        const ssize_t n = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n == static_cast<ssize_t>(bytes.size()))
            return;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            m_broken = true; // the read event tells the loss
            return;
        }
        bytes.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
        event_add(m_writeEvent.get(), nullptr);
    }
    m_pending.append(bytes);
}

void Connection::writable()
{
    const ssize_t n = ::send(m_fd, m_pending.data(), m_pending.size(), MSG_NOSIGNAL);
    if (n > 0)
        m_pending.erase(0, static_cast<std::size_t>(n));
    else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        m_broken = true;
        m_pending.clear();
    }
    if (!m_pending.empty())
        return;
    event_del(m_writeEvent.get());
    if (m_closeWhenSent)
        shutdown(m_fd, SHUT_WR);
}

void Connection::lost()
{
    if (m_open)
        m_server.m_handler.onClosed(*this);
    m_server.remove(m_id);
}

void Connection::close()
{
    m_server.remove(m_id);
}

} // namespace tailmark::sim
