// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/http_parser.h"

#include <algorithm>
#include <charconv>

namespace tailmark::sim {

namespace {

constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::size_t kMaxBody = 256 * 1024 * 1024;

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view trim(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool readSize(std::string_view text, int base, std::size_t& out)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

} // namespace

std::string_view HttpRequest::header(std::string_view name) const
{
    for (const auto& [key, value] : headers)
        if (key == name)
            return value;
    return {};
}

HttpParser::State HttpParser::bad(int status)
{
    m_badStatus = status;
    return State::Bad;
}

HttpParser::State HttpParser::parse()
{
    if (!m_headDone)
        if (const State state = parseHead(); state != State::Complete)
            return state;
    if (m_chunked)
        return parseChunkedBody();
    if (m_buffer.size() - m_consumed < m_bodyLength)
        return State::NeedMore;
    m_request.body.assign(m_buffer, m_consumed, m_bodyLength);
    m_consumed += m_bodyLength;
    return State::Complete;
}

HttpParser::State HttpParser::parseHead()
{
    while (m_buffer.compare(m_consumed, 2, "\r\n") == 0) // empty lines before a request are allowed
        m_consumed += 2;
    const auto end = m_buffer.find("\r\n\r\n", m_consumed);
    if (end == std::string::npos)
        return m_buffer.size() - m_consumed > kMaxHead ? bad(431) : State::NeedMore;
    if (end - m_consumed > kMaxHead)
        return bad(431);
    std::string_view head(m_buffer.data() + m_consumed, end - m_consumed);
    const auto nextLine = [&head] {
        const auto stop = head.find("\r\n");
        const std::string_view line = head.substr(0, stop);
        head.remove_prefix(stop == std::string_view::npos ? head.size() : stop + 2);
        return line;
    };

    const std::string_view first = nextLine();
    const auto methodEnd = first.find(' ');
    const auto targetEnd = first.rfind(' ');
    if (methodEnd == std::string_view::npos || targetEnd <= methodEnd)
        return bad(400);
    const std::string_view version = first.substr(targetEnd + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
        return bad(version.starts_with("HTTP/") ? 505 : 400);
    m_request = {};
    m_request.method = first.substr(0, methodEnd);
    std::string_view target = first.substr(methodEnd + 1, targetEnd - methodEnd - 1);
    m_request.path = target.substr(0, target.find('?'));
    m_request.http11 = version == "HTTP/1.1";
    m_request.keepAlive = m_request.http11;
    m_chunked = false;
    m_bodyLength = 0;

    while (!head.empty()) {
        const std::string_view line = nextLine();
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            return bad(400);
        std::string name = lower(line.substr(0, colon));
        const std::string_view value = trim(line.substr(colon + 1));
        if (name == "content-length") {
            if (!readSize(value, 10, m_bodyLength))
                return bad(400);
        } else if (name == "transfer-encoding") {
            if (lower(value) != "chunked")
                return bad(501);
            m_chunked = true;
        } else if (name == "connection") {
            const std::string option = lower(value);
            if (option.find("close") != std::string::npos)
                m_request.keepAlive = false;
            else if (option.find("keep-alive") != std::string::npos)
                m_request.keepAlive = true;
        } else if (name == "expect" && lower(value) == "100-continue") {
            m_expectContinue = true;
        }
        m_request.headers.emplace_back(std::move(name), value);
    }
    if (m_bodyLength > kMaxBody)
        return bad(413);
    m_consumed = end + 4;
    m_headDone = true;
    return State::Complete;
}

HttpParser::State HttpParser::parseChunkedBody()
{
    while (true) {
        const auto lineEnd = m_buffer.find("\r\n", m_consumed);
        if (lineEnd == std::string::npos)
            return m_buffer.size() - m_consumed > kMaxHead ? bad(400) : State::NeedMore;
        std::string_view line(m_buffer.data() + m_consumed, lineEnd - m_consumed);
        std::size_t size = 0;
        if (!readSize(trim(line.substr(0, line.find(';'))), 16, size))
            return bad(400);
        if (size > kMaxBody || m_request.body.size() + size > kMaxBody)
            return bad(413);
        if (size == 0) {
            const auto end = m_buffer.find("\r\n\r\n", lineEnd);
            if (end == std::string::npos)
                return m_buffer.size() - lineEnd > kMaxHead ? bad(431) : State::NeedMore;
            m_consumed = end + 4;
            return State::Complete;
        }
        if (m_buffer.size() < lineEnd + 2 + size + 2)
            return State::NeedMore;
        if (m_buffer.compare(lineEnd + 2 + size, 2, "\r\n") != 0)
            return bad(400);
        m_request.body.append(m_buffer, lineEnd + 2, size);
        m_consumed = lineEnd + 2 + size + 2;
    }
}

HttpRequest HttpParser::take()
{
    m_headDone = false;
    m_expectContinue = false;
    m_buffer.erase(0, std::exchange(m_consumed, 0));
    return std::exchange(m_request, {});
}

std::string_view httpReason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return status < 500 ? "Client Error" : "Server Error";
    }
}

} // namespace tailmark::sim
