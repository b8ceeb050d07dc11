// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/connection.h"

#include "target/error_text.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>

#include <curl/curl.h>

namespace tailmark {

namespace {

/// OpenSSL's reasons (X509_V_ERR_…) that users meet; its header would tie us to one TLS library.
enum VerifyResult : long {
    kNoIssuer = 2,
    kNotYetValid = 9,
    kExpired = 10,
    kSelfSigned = 18,
    kSelfSignedInChain = 19,
    kNoLocalIssuer = 20,
    kLeafUnverified = 21
};

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::string certificateText(void* easy, std::string_view detail)
{
    constexpr std::string_view problem = "SSL certificate problem: ";
    constexpr std::string_view host = "target host name '";
    if (const std::size_t at = detail.find(host); at != std::string_view::npos) {
        const std::string_view name = detail.substr(at + host.size());
        return "the server's TLS certificate is not for the name " +
               std::string(name.substr(0, name.find('\'')));
    }
    const std::string reason(detail.substr(detail.starts_with(problem) ? problem.size() : 0));
    long result = 0;
    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result);
    switch (result) {
    case kExpired:
        return "the server's TLS certificate has expired";
    case kNotYetValid:
        return "the server's TLS certificate is not valid yet";
    case kNoIssuer:
    case kSelfSigned:
    case kSelfSignedInChain:
    case kNoLocalIssuer:
    case kLeafUnverified:
        return "the server's TLS certificate is from no authority that is trusted here (" + reason +
               "); target.tls.ca_file names one to trust";
    default:
        return "the server's TLS certificate is refused: " + reason;
    }
}

std::string tlsText(const std::string& why)
{
    if (contains(why, "asn1 encoding routines")) // an authority of the same name that is another one
        return "the server's TLS certificate is not signed by the authority that its issuer's name stands "
               "for here; "
               "target.tls.ca_file names the one to trust";
    if (contains(why, "wrong version number") || contains(why, "packet length too long") ||
        contains(why, "http request"))
        return "the server does not speak TLS; is it an http:// server?";
    return "TLS failed: " + why;
}

} // namespace

ConnectionOptions connectionOf(const Target& target)
{
    return {target.tls, target.httpVersion, target.proxy};
}

Status checkCertificates(const Target& target)
{
    const std::string& name = target.tls.caFile;
    if (name.empty())
        return success();
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        return Error{ErrorCode::BadInput, name, std::string("cannot be read: ") + std::strerror(errno)};
    if (text.find("-----BEGIN") == std::string::npos)
        return Error{ErrorCode::BadInput, name, "holds no certificates (PEM)"};
    return success();
}

void prepareLibcurl()
{
    static std::once_flag once;
    std::call_once(once, [] {
        curl_global_init(CURL_GLOBAL_DEFAULT);
        struct sigaction now = {};
        if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
            std::signal(SIGPIPE, SIG_IGN);
    });
}

bool needsOwnConnections(const ConnectionOptions& options, std::string_view url)
{
    return options.httpVersion == HttpVersion::Http2 && !url.starts_with("https://") &&
           curl_version_info(CURLVERSION_NOW)->version_num < 0x080000;
}

void configureConnection(void* easy, const ConnectionOptions& options, std::string_view url)
{
    const bool http2 = options.httpVersion == HttpVersion::Http2;
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    // without TLS nothing negotiates the version: the server must know it beforehand
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     static_cast<long>(!http2                        ? CURL_HTTP_VERSION_1_1
                                       : url.starts_with("https://") ? CURL_HTTP_VERSION_2TLS
                                                                     : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, needsOwnConnections(options, url) ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // an empty proxy and "*" keep libcurl from asking the environment
    curl_easy_setopt(easy, CURLOPT_PROXY, options.proxy.c_str());
    curl_easy_setopt(easy, CURLOPT_NOPROXY, options.proxy.empty() ? "*" : "");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE)); // no key for the proxy
    if (http2 && !options.proxy.empty())
        curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L); // the way to the proxy is HTTP/1.1
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options.tls.verify ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options.tls.verify ? 2L : 0L);
    if (!options.tls.caFile.empty())
        curl_easy_setopt(easy, CURLOPT_CAINFO, options.tls.caFile.c_str());
}

curl_slist* headerList(const std::vector<std::string>& lines, bool withBody)
{
    curl_slist* list = nullptr;
    if (withBody) {
        // an empty Expect keeps libcurl from waiting for "100 Continue": servers that ignore it cost a second
        for (const char* line : {"Content-Type: application/json", "Expect:"})
            list = curl_slist_append(list, line);
    }
    for (const std::string& line : lines) {
        const std::size_t colon = line.find(':');
        const bool empty = line.find_first_not_of(" \t", colon + 1) == std::string::npos;
        list = curl_slist_append(list, (empty ? line.substr(0, colon) + ';' : line).c_str());
    }
    return list;
}

std::string failureText(void* easy, int code, std::string_view detail, const ConnectionOptions& options)
{
    long osError = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &osError);
    std::string why(detail);
    if (why.empty()) {
        why = curl_easy_strerror(static_cast<CURLcode>(code));
        if (osError != 0)
            why += ": " + std::generic_category().message(static_cast<int>(osError));
    }
    const std::string proxy = options.proxy.empty() ? std::string() : " to the proxy " + options.proxy;
    if (constexpr std::string_view tunnel = "CONNECT tunnel failed, response "; detail.starts_with(tunnel))
        return plainLine("the proxy " + options.proxy + " refused to connect to the target: HTTP " +
                         why.substr(tunnel.size()));
    const std::string version = options.httpVersion == HttpVersion::Http2
                                    ? " (asked in HTTP/2, as target.http_version says)"
                                    : std::string();
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return "could not resolve the host name";
    case CURLE_COULDNT_RESOLVE_PROXY:
        return "could not resolve the name of the proxy " + options.proxy;
    case CURLE_COULDNT_CONNECT:
        return plainLine("could not connect" + proxy + ": " +
                         (osError ? std::generic_category().message(static_cast<int>(osError)) : why));
    case CURLE_GOT_NOTHING:
        return "the server closed the connection without an answer" + version;
    case CURLE_PEER_FAILED_VERIFICATION:
        return plainLine(certificateText(easy, why));
    case CURLE_SSL_CACERT_BADFILE:
        return plainLine("target.tls.ca_file cannot be read as certificates (PEM): " + options.tls.caFile);
    case CURLE_SSL_CONNECT_ERROR:
        return plainLine(tlsText(why));
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return plainLine("the answer is not HTTP (" + why + "); is it an https:// server?");
    case CURLE_URL_MALFORMAT:
        return "not a URL that begins with http:// or https://";
    default:
        return plainLine(why + version);
    }
}

std::string otherVersionText()
{
    return "the server answers in HTTP/1.1, but target.http_version asks for 2";
}

} // namespace tailmark
