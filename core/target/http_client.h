// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "target/connection.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tailmark {

struct HttpReply
{
    int status = 0;
    std::string contentType;
    std::string body;
    std::string location; ///< where a redirect points; it is never followed
    std::map<std::string, std::string>
        headers;          ///< by name in lower case, secrets hidden; of a repeated one the last
    bool complete = true; ///< false: the connection ended before the body did
};

struct HttpLimits
{
    double connectS = 10;                ///< for name, TCP and TLS together
    double totalS = 30;                  ///< for the whole exchange
    std::size_t maxBodyBytes = 4u << 20; ///< a longer body is an error
};

/// Asks a target's info endpoints. Small and blocking; for a thread that may wait, not for load. One
/// connection that is kept between calls; no redirects, no retries, no proxy but the one of `connection`. An
/// HTTP error status is a reply like any other; an Error (Unreachable) means that there is none, in one line
/// with the URL and the reason, secrets in the URL hidden, as are those of `headers` in a body:
/// "http://127.0.0.1:1/v1/models: could not connect: Connection refused". Not thread-safe; any one thread at
/// a time.
class HttpClient
{
public:
    /// `headers`: lines "Name: value", sent with every request. Once `stop` is set, by any thread, every
    /// exchange ends with Cancelled within a second.
    HttpClient(std::vector<std::string> headers, ConnectionOptions connection,
               const std::atomic<bool>* stop = nullptr);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    Result<HttpReply> get(const std::string& url, const HttpLimits& limits);
    /// Whether the last exchange had a connection to the server, even if no answer came.
    bool connected() const;
    Result<HttpReply> postJson(const std::string& url, const std::string& body, const HttpLimits& limits);

private:
    Result<HttpReply> perform(const std::string& url, const std::string* body, const HttpLimits& limits);

    std::vector<std::string> m_headers;
    ConnectionOptions m_connection;
    const std::atomic<bool>* m_stop;
    void* m_handle = nullptr; ///< CURL*, whose header stays out of ours
};

} // namespace tailmark
