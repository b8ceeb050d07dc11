// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "sim/event_loop.h"
#include "sim/http_parser.h"

struct evconnlistener;

namespace tailmark::sim {

class Connection;

/// What the HTTP server calls; on the loop's thread.
class HttpHandler
{
public:
    virtual ~HttpHandler() = default;
    /// A whole request. Must be answered, now or later, by respond() or beginStream()…endStream().
    virtual void onRequest(Connection& connection, HttpRequest request) = 0;
    /// The client has gone while its request was open. The connection dies after this call.
    virtual void onClosed(Connection& connection) = 0;
};

/// HTTP/1.1 over plain sockets: keep-alive, chunked streams, one request of a connection at a time. Answers
/// and flushed chunks go to the socket within the call, so a time read before the call is the time of the
/// write; what the socket does not take at once waits in memory. One thread.
class HttpServer
{
public:
    HttpServer(EventLoop& loop, HttpHandler& handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Binds and listens; port 0 takes any free one. The port, or why not.
    Result<int> listen(const std::string& host, int port);
    /// Null once closed.
    Connection* find(std::uint64_t connectionId) const;

private:
    friend class Connection;
    void accepted(int fd);
    void acceptFailed();
    void remove(std::uint64_t connectionId);

    EventLoop& m_loop;
    HttpHandler& m_handler;
    evconnlistener* m_listener = nullptr;
    EventPtr m_acceptPause; ///< re-enables accepting after descriptors ran out
    std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> m_connections;
    std::uint64_t m_nextId = 1;
};

class Connection
{
public:
    Connection(HttpServer& server, std::uint64_t id, int fd);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    std::uint64_t id() const { return m_id; }

    /// The owner's name for the request that is open; 0 is none.
    std::uint64_t openRequest = 0;

    /// A whole answer. `headers` are lines with their CR LF.
    void respond(int status, std::string_view contentType, std::string_view body,
                 std::string_view headers = {});
    /// Sends the head of an answer whose body comes by addChunk() and flush(), and ends with endStream().
    void beginStream(int status, std::string_view contentType);
    /// Adds an HTTP chunk to what the next flush() or endStream() writes in one go.
    void addChunk(std::string_view body);
    void flush();
    /// Flushes and ends the answer.
    void endStream();
    /// Sends raw bytes; for answers that break the protocol on purpose.
    void writeRaw(std::string_view bytes) { send(bytes); }
    /// Closes now, whatever was promised. Destroys the object; onClosed is not called.
    void close();

private:
    void readable();
    void writable();
    void process();
    void send(std::string_view bytes);
    void finish();
    void lost();
    std::string headOf(int status, std::string_view contentType) const;

    HttpServer& m_server;
    const std::uint64_t m_id;
    const int m_fd;
    EventPtr m_readEvent;
    EventPtr m_writeEvent;
    HttpParser m_parser;
    std::string m_pending;     ///< bytes the socket did not take
    std::string m_chunks;      ///< framed, not flushed
    bool m_open = false;       ///< a request waits for its answer
    bool m_processing = false; ///< process() is on the stack
    bool m_keepAlive = true;
    bool m_chunked = false;
    bool m_broken = false;
    bool m_closeWhenSent = false;
};

} // namespace tailmark::sim
