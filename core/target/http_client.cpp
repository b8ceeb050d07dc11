// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/http_client.h"

#include "target/error_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <memory>

#include <curl/curl.h>

namespace tailmark {

namespace {

constexpr std::size_t kMaxHeaders = 200;

struct Body
{
    std::string bytes;
    std::size_t limit = 0;
    bool tooLong = false;
};

std::size_t takeBody(char* data, std::size_t, std::size_t size, void* user)
{
    auto& body = *static_cast<Body*>(user);
    body.tooLong = body.bytes.size() + size > body.limit;
    if (body.tooLong)
        return 0;
    body.bytes.append(data, size);
    return size;
}

std::size_t takeHeader(char* data, std::size_t, std::size_t size, void* user)
{
    auto& headers = *static_cast<std::map<std::string, std::string>*>(user);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/"))
        headers.clear(); // those of a 100 Continue are not the reply's
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || headers.size() >= kMaxHeaders)
        return size;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    headers[name] = namesSecret(name) ? std::string("•••") : plainLine(line.substr(colon + 1));
    return size;
}

/// libcurl asks at least once a second; anything but 0 ends the exchange.
int askedToStop(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
}

std::string seconds(double s)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g s", s);
    return text.data();
}

/// Why there is no answer; time limits are ours, the rest is the connection's.
std::string reason(CURL* curl, CURLcode code, const char* detail, const HttpLimits& limits,
                   const ConnectionOptions& connection, bool tls)
{
    if (code != CURLE_OPERATION_TIMEDOUT)
        return failureText(curl, code, detail, connection);
    curl_off_t connected = 0;
    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected);
    if (connected)
        return "no complete answer within " + seconds(limits.totalS);
    return "could not connect within " + seconds(std::min(limits.connectS, limits.totalS)) +
           (tls ? ", TLS included; is it an http:// server?" : "");
}

} // namespace

HttpClient::HttpClient(std::vector<std::string> headers, ConnectionOptions connection,
                       const std::atomic<bool>* stop)
    : m_headers(std::move(headers)), m_connection(std::move(connection)), m_stop(stop)
{
    prepareLibcurl();
    m_handle = curl_easy_init();
}

HttpClient::~HttpClient()
{
    curl_easy_cleanup(m_handle);
}

Result<HttpReply> HttpClient::get(const std::string& url, const HttpLimits& limits)
{
    return perform(url, nullptr, limits);
}

Result<HttpReply> HttpClient::postJson(const std::string& url, const std::string& body,
                                       const HttpLimits& limits)
{
    return perform(url, &body, limits);
}

bool HttpClient::connected() const
{
    curl_off_t connect = 0, ready = 0; // the former is 0 on a connection that was kept
    if (m_handle) {
        curl_easy_getinfo(m_handle, CURLINFO_CONNECT_TIME_T, &connect);
        curl_easy_getinfo(m_handle, CURLINFO_PRETRANSFER_TIME_T, &ready);
    }
    return connect > 0 || ready > 0;
}

Result<HttpReply> HttpClient::perform(const std::string& url, const std::string* body,
                                      const HttpLimits& limits)
{
    CURL* const curl = m_handle;
    const std::string where = hideSecrets(url);
    if (!curl)
        return Error{ErrorCode::Internal, where, "libcurl could not be set up"};
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return Error{ErrorCode::BadInput, where, "not a URL that begins with http:// or https://"};

    curl_easy_reset(curl); // keeps the connection
    HttpReply reply;
    Body received;
    received.limit = limits.maxBodyBytes;
    std::array<char, CURL_ERROR_SIZE> detail{};
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    configureConnection(curl, m_connection, url);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connectS * 1000));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.totalS * 1000));
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, takeBody);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &received);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, takeHeader);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &reply.headers);
    if (m_stop) {
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, askedToStop);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(m_stop));
    }
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->data());
    }
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> lines(
        headerList(m_headers, body != nullptr), curl_slist_free_all);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines.get());

    const CURLcode code = curl_easy_perform(curl);
    long status = 0;
    const char* text = nullptr;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    reply.status = static_cast<int>(status);
    if (curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &text) == CURLE_OK && text)
        reply.contentType = text;
    if (curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &text) == CURLE_OK && text)
        reply.location = text;
    if (received.tooLong)
        return Error{ErrorCode::Unreachable, where,
                     "the answer is longer than " + std::to_string(limits.maxBodyBytes) + " bytes"};
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return Error{ErrorCode::Cancelled, where, "stopped before it had answered"};
    const bool cut = status != 0 && (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR);
    if (code != CURLE_OK && !cut)
        return Error{
            ErrorCode::Unreachable, where,
            plainLine(reason(curl, code, detail.data(), limits, m_connection, url.starts_with("https://")))};
    long version = 0;
    curl_easy_getinfo(curl, CURLINFO_HTTP_VERSION, &version);
    if (m_connection.httpVersion == HttpVersion::Http2 && version != CURL_HTTP_VERSION_2_0)
        return Error{ErrorCode::Unreachable, where, otherVersionText()};
    reply.complete = !cut;
    const std::vector<std::string> secrets = secretsOf(m_headers);
    reply.body = hideThese(secrets, std::move(received.bytes));
    for (auto& [name, value] : reply.headers)
        value = hideThese(secrets, std::move(value));
    return reply;
}

} // namespace tailmark
