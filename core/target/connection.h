// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

#include <string>
#include <string_view>
#include <vector>

struct curl_slist;

namespace tailmark {

/// How connections to a target are made. Probe and load share it, so that what the one reached the other
/// reaches too.
struct ConnectionOptions
{
    Tls tls;
    HttpVersion httpVersion = HttpVersion::Http11;
    std::string proxy; ///< "http://host:port"; empty = none, whatever the environment says
};

ConnectionOptions connectionOf(const Target& target);
/// Error (BadInput): the file of certificates that the target names cannot be read, or holds none.
Status checkCertificates(const Target& target);

/// Before any use of libcurl: sets it up once, and has SIGPIPE ignored where nobody handles it, since TLS
/// writes to a connection that is gone would end the program.
void prepareLibcurl();

/// HTTP/2 without TLS, and a libcurl that cannot use such a connection again (before 8.0): each request needs
/// its own.
bool needsOwnConnections(const ConnectionOptions& options, std::string_view url);

/// Sets all of libcurl's options that concern connections: TLS with verification, HTTP version, proxy, no
/// redirects, http and https only. `easy` is a CURL*, whose header stays out of ours. `options` must outlive
/// the handle.
void configureConnection(void* easy, const ConnectionOptions& options, std::string_view url);

/// Header lines "Name: value" as libcurl takes them, those of a JSON body included where there is one; a
/// header without value is sent, not left out. Owned by the caller (curl_slist_free_all).
curl_slist* headerList(const std::vector<std::string>& lines, bool withBody);

/// Why there is no response, in one plain line of the user's words: "the server's TLS certificate has
/// expired". `code` is a CURLcode, `detail` the text of CURLOPT_ERRORBUFFER.
std::string failureText(void* easy, int code, std::string_view detail, const ConnectionOptions& options);

/// What is said where HTTP/2 was asked for and the server chose another version.
std::string otherVersionText();

} // namespace tailmark
