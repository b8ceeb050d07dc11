// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "loopback_listener.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include <nghttp2/nghttp2.h>

namespace tailmark::test {

/// An HTTP/2 server without TLS on a free port of 127.0.0.1 (behind TlsFront also with). Every path answers
/// 200 with what `answer` gives: a JSON body, or an event stream where it begins with "data:". Answers begin
/// once `together` streams are open at once on all connections, so that only a client that shares a
/// connection among requests gets any.
class Http2Server
{
public:
    using Answer = std::function<std::string(const std::string& path)>;

    explicit Http2Server(Answer answer, int together = 1) : m_answer(std::move(answer)), m_together(together)
    {
    }

    int port() const { return m_listener.port(); }
    int acceptedConnections() const { return m_listener.accepted(); }
    int requests() const { return m_requests; }
    /// Streams that their client gave up.
    int resets() const { return m_resets; }
    /// The most streams that were open at once on one connection.
    int mostOpen() const { return m_mostOpen; }

private:
    struct Stream
    {
        std::string path;
        std::string body;
        std::size_t sent = 0;
        bool complete = false; ///< the whole request came
        bool answered = false;
    };
    struct Connection
    {
        Http2Server* server = nullptr;
        int fd = -1;
        nghttp2_session* session = nullptr;
        std::map<std::int32_t, Stream> streams;
    };

    static ssize_t onSend(nghttp2_session*, const std::uint8_t* data, std::size_t size, int, void* user)
    {
        const auto& connection = *static_cast<Connection*>(user);
        const ssize_t n = ::send(connection.fd, data, size, MSG_NOSIGNAL);
        return n < 0 ? static_cast<ssize_t>(NGHTTP2_ERR_CALLBACK_FAILURE) : n;
    }
    static int onBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user)
    {
        auto& connection = *static_cast<Connection*>(user);
        connection.streams[frame->hd.stream_id];
        const int open = static_cast<int>(connection.streams.size());
        for (int most = connection.server->m_mostOpen;
             open > most && !connection.server->m_mostOpen.compare_exchange_weak(most, open);) {
        }
        return 0;
    }
    static int onHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                        std::size_t nameSize, const std::uint8_t* value, std::size_t valueSize, std::uint8_t,
                        void* user)
    {
        if (std::string_view(reinterpret_cast<const char*>(name), nameSize) == ":path")
            static_cast<Connection*>(user)->streams[frame->hd.stream_id].path.assign(
                reinterpret_cast<const char*>(value), valueSize);
        return 0;
    }
    static int onFrame(nghttp2_session*, const nghttp2_frame* frame, void* user)
    {
        auto& connection = *static_cast<Connection*>(user);
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
            (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS)) {
            connection.streams[frame->hd.stream_id].complete = true;
            ++connection.server->m_requests;
            ++connection.server->m_open;
        }
        return 0;
    }
    static int onClose(nghttp2_session*, std::int32_t id, std::uint32_t error, void* user)
    {
        auto& connection = *static_cast<Connection*>(user);
        connection.server->m_resets += error != NGHTTP2_NO_ERROR;
        connection.streams.erase(id);
        return 0;
    }
    static ssize_t onRead(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room,
                          std::uint32_t* flags, nghttp2_data_source* source, void*)
    {
        auto& stream = *static_cast<Stream*>(source->ptr);
        const std::size_t n = std::min(room, stream.body.size() - stream.sent);
        std::memcpy(out, stream.body.data() + stream.sent, n);
        stream.sent += n;
        if (stream.sent == stream.body.size())
            *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(n);
    }

    void answer(Connection& connection)
    {
        if (!m_released && m_open < m_together)
            return;
        m_released = true;
        for (auto& [id, stream] : connection.streams) {
            if (!stream.complete || stream.answered)
                continue;
            stream.answered = true;
            stream.body = m_answer(stream.path);
            const std::string type =
                stream.body.starts_with("data:") ? "text/event-stream" : "application/json";
            const auto field = [](std::string_view name, std::string_view value) {
                return nghttp2_nv{reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                                  reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
                                  name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
            };
            const nghttp2_nv head[] = {field(":status", "200"), field("content-type", type)};
            nghttp2_data_provider provider{};
            provider.source.ptr = &stream;
            provider.read_callback = &Http2Server::onRead;
            nghttp2_submit_response(connection.session, id, head, 2, &provider);
        }
    }

    void serve(int client)
    {
        Connection connection{this, client, nullptr, {}};
        nghttp2_session_callbacks* callbacks = nullptr;
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_send_callback(callbacks, &Http2Server::onSend);
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &Http2Server::onBeginHeaders);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, &Http2Server::onHeader);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Http2Server::onFrame);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Http2Server::onClose);
        nghttp2_session_server_new(&connection.session, callbacks, &connection);
        nghttp2_session_callbacks_del(callbacks);
        nghttp2_submit_settings(connection.session, NGHTTP2_FLAG_NONE, nullptr, 0);
        std::uint8_t bytes[16'384];
        while (!m_listener.stopping() && nghttp2_session_send(connection.session) == 0) {
            pollfd ready{client, POLLIN, 0};
            if (::poll(&ready, 1, 5) > 0) {
                const ssize_t n = ::recv(client, bytes, sizeof bytes, 0);
                if (n <= 0 ||
                    nghttp2_session_mem_recv(connection.session, bytes, static_cast<std::size_t>(n)) < 0)
                    break;
            }
            answer(connection);
        }
        nghttp2_session_del(connection.session);
    }

    const Answer m_answer;
    const int m_together;
    std::atomic<bool> m_released{false};
    std::atomic<int> m_requests{0}, m_open{0}, m_resets{0}, m_mostOpen{0};
    LoopbackListener m_listener{[this](int client) { serve(client); }};
};

} // namespace tailmark::test
