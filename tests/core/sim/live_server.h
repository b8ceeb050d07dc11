// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <QFile>
#include <QTemporaryDir>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/server.h"

namespace tailmark::sim {

/// What came back on a connection for one request.
struct Reply
{
    int status = 0;
    std::map<std::string, std::string> headers; ///< names as sent
    std::string body;                           ///< chunks joined
    std::vector<std::string> chunks;            ///< HTTP chunks
    bool complete = false;                      ///< ended as its head promised
    bool closed = false;                        ///< the server closed the connection

    nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
    /// The JSON of every `data:` line but [DONE].
    std::vector<nlohmann::json> events() const
    {
        std::vector<nlohmann::json> list;
        for (std::size_t at = 0; (at = body.find("data: ", at)) != std::string::npos;) {
            const auto end = body.find("\n\n", at);
            const std::string data = body.substr(at + 6, end - at - 6);
            if (data != "[DONE]")
                list.push_back(nlohmann::json::parse(data, nullptr, false));
            at = end;
        }
        return list;
    }
    bool done() const { return body.ends_with("data: [DONE]\n\n"); }
};

/// A blocking HTTP client on a raw socket, so that what a server does wrong is seen as it is.
class RawClient
{
public:
    explicit RawClient(int port)
    {
        m_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_connected = connect(m_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { disconnect(); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    bool connected() const { return m_connected; }
    void disconnect()
    {
        if (m_fd >= 0)
            close(m_fd);
        m_fd = -1;
    }
    void sendRaw(const std::string& bytes) { ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
    void post(const std::string& path, const std::string& body, const std::string& headers = {})
    {
        sendRaw("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n" + headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    void get(const std::string& path) { sendRaw("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n"); }

    /// Reads until something came, the peer closed, or the time is over.
    bool readSome(int timeoutMs = 20'000)
    {
        pollfd waiting{m_fd, POLLIN, 0};
        if (poll(&waiting, 1, timeoutMs) <= 0)
            return false;
        char bytes[65536];
        const ssize_t n = recv(m_fd, bytes, sizeof bytes, 0);
        if (n > 0)
            m_buffer.append(bytes, static_cast<std::size_t>(n));
        else
            m_closed = true;
        return n > 0;
    }
    const std::string& buffered() const { return m_buffer; }

    /// The next reply, or what there is of it when the connection breaks.
    Reply read(int timeoutMs = 20'000)
    {
        Reply reply;
        std::size_t headEnd = 0;
        while ((headEnd = m_buffer.find("\r\n\r\n")) == std::string::npos)
            if (!readSome(timeoutMs)) {
                reply.closed = m_closed;
                return reply;
            }
        const std::string head = m_buffer.substr(0, headEnd + 2);
        m_buffer.erase(0, headEnd + 4);
        reply.status = std::atoi(head.c_str() + head.find(' '));
        for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
            const auto end = head.find("\r\n", at);
            const auto colon = head.find(": ", at);
            reply.headers[head.substr(at, colon - at)] = head.substr(colon + 2, end - colon - 2);
            at = end + 2;
        }
        if (reply.status < 200) {
            reply.complete = true; // interim: no body
        } else if (reply.headers.contains("content-length")) {
            const std::size_t length = std::stoul(reply.headers["content-length"]);
            while (m_buffer.size() < length && readSome(timeoutMs))
                ;
            reply.complete = m_buffer.size() >= length;
            reply.body = m_buffer.substr(0, length);
            m_buffer.erase(0, length);
        } else if (reply.headers.contains("transfer-encoding")) {
            reply.complete = readChunks(reply, timeoutMs);
        } else {
            while (readSome(timeoutMs))
                ;
            reply.body = std::exchange(m_buffer, {});
            reply.complete = m_closed;
        }
        reply.closed = m_closed;
        return reply;
    }

private:
    bool readChunks(Reply& reply, int timeoutMs)
    {
        while (true) {
            std::size_t lineEnd = 0;
            while ((lineEnd = m_buffer.find("\r\n")) == std::string::npos)
                if (!readSome(timeoutMs))
                    return false;
            const std::size_t size = std::stoul(m_buffer.substr(0, lineEnd), nullptr, 16);
            while (m_buffer.size() < lineEnd + 2 + size + 2)
                if (!readSome(timeoutMs))
                    return false;
            const std::string chunk = m_buffer.substr(lineEnd + 2, size);
            m_buffer.erase(0, lineEnd + 2 + size + 2);
            if (size == 0)
                return true;
            reply.chunks.push_back(chunk);
            reply.body += chunk;
        }
    }

    int m_fd = -1;
    bool m_connected = false;
    bool m_closed = false;
    std::string m_buffer;
};

/// A fast server in a thread of this process, with a truth log.
class TestServer
{
public:
    static Profile fastProfile()
    {
        Profile profile;
        profile.name = "fast";
        profile.model = "sim-model";
        profile.decode = {1, 0, 0};
        profile.kvCapacityTokens = 64'000;
        profile.maxModelLen = 8'000;
        profile.naturalOutput = {20, 0};
        return profile;
    }

    static ServerOptions fastOptions()
    {
        ServerOptions options;
        options.profile = fastProfile();
        return options;
    }

    explicit TestServer(ServerOptions options = fastOptions())
    {
        options.truthFile = m_folder.filePath("truth.csv").toStdString();
        auto server = Server::create(options);
        if (!server)
            qFatal("%s", server.error().line().c_str());
        m_server = std::move(server).value();
        m_thread = std::thread([this] { m_server->run(); });
    }
    explicit TestServer(const char* fault) : TestServer(withFault(fault)) {}
    ~TestServer() { stop(); }

    static ServerOptions withFault(const char* fault)
    {
        ServerOptions options = fastOptions();
        options.faults.push_back(parseFault(fault).value());
        return options;
    }

    int port() const { return m_server->port(); }
    std::string baseUrl() const { return m_server->baseUrl(); }
    void stop()
    {
        if (!m_thread.joinable())
            return;
        m_server->stop();
        m_thread.join();
    }

    Reply post(const std::string& path, const std::string& body, const std::string& headers = {}) const
    {
        RawClient client(port());
        client.post(path, body, headers);
        return client.read();
    }
    Reply get(const std::string& path) const
    {
        RawClient client(port());
        client.get(path);
        return client.read();
    }
    /// The value of a sample whose name and labels start with `name`; NaN where there is none.
    double metric(const std::string& name) const
    {
        const std::string text = "\n" + get("/metrics").body;
        const auto at = text.find("\n" + name);
        if (at == std::string::npos)
            return std::nan("");
        return std::stod(text.substr(text.find("} ", at) + 2));
    }
    /// Waits for the row of this request; fields by column name.
    std::map<std::string, std::string> truth(const std::string& requestId) const
    {
        for (int i = 0; i < 200; ++i) {
            for (auto& row : truthRows())
                if (row["request_id"] == requestId)
                    return row;
            QThread::msleep(20);
        }
        return {};
    }
    std::vector<std::map<std::string, std::string>> truthRows() const
    {
        QFile file(m_folder.filePath("truth.csv"));
        std::vector<std::map<std::string, std::string>> rows;
        if (!file.open(QIODevice::ReadOnly))
            return rows;
        const QByteArrayList lines = file.readAll().trimmed().split('\n');
        const QByteArrayList names = lines.front().split(',');
        for (int i = 1; i < lines.size(); ++i) {
            const QByteArrayList fields = lines[i].split(',');
            if (fields.size() != names.size())
                continue; // half-written
            auto& row = rows.emplace_back();
            for (int column = 0; column < names.size(); ++column)
                row[names[column].toStdString()] = fields[column].toStdString();
        }
        return rows;
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<Server> m_server;
    std::thread m_thread;
};

inline std::string chatBody(const std::string& fields, const std::string& text = "hello there")
{
    return R"({"model":"sim-model","messages":[{"role":"user","content":")" + text + "\"}]," + fields + "}";
}

inline std::string completionBody(const std::string& fields, const std::string& prompt = "hello there")
{
    return R"({"model":"sim-model","prompt":")" + prompt + "\"," + fields + "}";
}

inline std::string words(int count, const std::string& stem = "word")
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (i ? " " : "") + stem + std::to_string(i);
    return text;
}

inline ServerOptions slowOptions()
{
    ServerOptions options = TestServer::fastOptions();
    options.profile.decode.c0 = 20;
    return options;
}

inline const std::string kChat = "/v1/chat/completions";
inline const std::string kCompletions = "/v1/completions";

} // namespace tailmark::sim
