// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tailmark::sim {

/// A whole HTTP/1.x request.
struct HttpRequest
{
    std::string method;
    std::string path;                                         ///< without the query
    std::vector<std::pair<std::string, std::string>> headers; ///< names in lower case
    std::string body;
    bool http11 = true;
    bool keepAlive = true;

    /// Empty where absent.
    std::string_view header(std::string_view lowerCaseName) const;
};

/// Takes HTTP requests from a byte stream, one after another. Pure; one thread.
class HttpParser
{
public:
    enum class State {
        NeedMore, ///< no whole request yet
        Complete, ///< take() gives it
        Bad,      ///< not HTTP, or over the limits: answer badStatus() and close
    };

    void append(std::string_view bytes) { m_buffer.append(bytes); }
    State parse();
    /// The request that parse() found; the bytes behind it stay.
    HttpRequest take();
    int badStatus() const { return m_badStatus; }
    /// Once: the headers ask for "100 Continue" before the body is sent.
    bool takeExpectContinue() { return std::exchange(m_expectContinue, false); }
    bool empty() const { return m_buffer.size() == m_consumed; }

private:
    State parseHead();
    State parseChunkedBody();
    State bad(int status);

    std::string m_buffer;
    std::size_t m_consumed = 0; ///< bytes of m_buffer that are done with
    HttpRequest m_request;
    bool m_headDone = false;
    bool m_chunked = false;
    bool m_expectContinue = false;
    std::size_t m_bodyLength = 0;
    int m_badStatus = 400;
};

std::string_view httpReason(int status);

} // namespace tailmark::sim
