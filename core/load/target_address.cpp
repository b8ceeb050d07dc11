// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target_address.h"

#include "load/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

namespace tailmark {

namespace {

std::string urlPart(CURLU* url, CURLUPart part, unsigned flags = 0)
{
    char* text = nullptr;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK || !text)
        return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

std::string textOf(const SocketAddress& address)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (address.storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, text,
                  sizeof text);
        return std::string("[") + text + "]";
    }
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, text, sizeof text);
    return text;
}

bool isAddress(const std::string& host)
{
    in6_addr unused;
    return host.front() == '[' || inet_pton(AF_INET, host.c_str(), &unused) == 1;
}

enum class Connecting { Pending, Open, Failed };

Connecting connectTo(const SocketAddress& address, int& fd)
{
    fd = openSocket(address.storage.ss_family, SOCK_STREAM, 0);
    if (fd < 0)
        return Connecting::Failed;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0)
        return Connecting::Open;
    return errno == EINPROGRESS ? Connecting::Pending : Connecting::Failed;
}

Connecting progressOf(int fd)
{
    pollfd state{fd, POLLOUT, 0};
    if (::poll(&state, 1, 0) <= 0)
        return Connecting::Pending;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error == 0 ? Connecting::Open : Connecting::Failed;
}

} // namespace

bool SocketAddress::matches(int family, const sockaddr* address, socklen_t length) const
{
    return storage.ss_family == family && size == length && std::memcmp(&storage, address, length) == 0;
}

Result<TargetAddress> resolveTarget(const std::string& text)
{
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
    if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
        return Error{ErrorCode::BadInput, text, "not a URL of the form http://host:port/path"};
    const std::string scheme = urlPart(url.get(), CURLUPART_SCHEME);
    const std::string host = urlPart(url.get(), CURLUPART_HOST);
    const std::string port = urlPart(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if ((scheme != "http" && scheme != "https") || host.empty())
        return Error{ErrorCode::BadInput, text, "only http and https URLs can be measured"};

    const std::string bare = host.front() == '[' ? host.substr(1, host.size() - 2) : host;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(bare.c_str(), port.c_str(), &hints, &found);
    if (status != 0)
        return Error{ErrorCode::Unreachable, host,
                     std::string("the host has no address: ") + gai_strerror(status)};
    TargetAddress target;
    for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
        if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6)
            continue;
        SocketAddress address;
        std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
        address.size = entry->ai_addrlen;
        target.addresses.push_back(address);
    }
    ::freeaddrinfo(found);
    if (target.addresses.empty())
        return Error{ErrorCode::Unreachable, host, "the host has no IPv4 or IPv6 address"};
    if (!isAddress(host)) {
        target.resolveEntry = host + ":" + port + ":";
        for (std::size_t i = 0; i < target.addresses.size(); ++i)
            target.resolveEntry += (i == 0 ? "" : ",") + textOf(target.addresses[i]);
    }
    return target;
}

OpenedAhead openAhead(const TargetAddress& target, int count, int perSecond, Nanoseconds patience)
{
    const MonotonicClock clock;
    OpenedAhead opened;
    std::vector<int> pending;
    bool failed = false;
    const auto settle = [&](int fd, Connecting state) {
        if (state == Connecting::Open)
            opened.sockets.push_back(fd);
        else if (fd >= 0)
            ::close(fd);
        failed = failed || state == Connecting::Failed;
    };
    const auto progress = [&] {
        std::erase_if(pending, [&](int fd) {
            const Connecting state = progressOf(fd);
            if (state == Connecting::Pending)
                return false;
            settle(fd, state);
            return true;
        });
    };

    // the first connection says which of the addresses answers
    for (const SocketAddress& address : target.addresses) {
        if (count <= 0 || !opened.sockets.empty())
            break;
        int fd = -1;
        Connecting state = connectTo(address, fd);
        if (state == Connecting::Pending) {
            pollfd waiting{fd, POLLOUT, 0};
            ::poll(&waiting, 1, static_cast<int>(toMs(patience)));
            state = progressOf(fd);
        }
        settle(fd, state == Connecting::Pending ? Connecting::Failed : state);
        opened.address = address;
    }
    if (opened.sockets.empty())
        return opened;

    failed = false;
    const Nanoseconds start = clock.now();
    const Nanoseconds gap = Nanoseconds(1'000'000'000 / perSecond);
    for (int i = 1; i < count && !failed; ++i) {
        const Nanoseconds wait = start + gap * i - clock.now();
        if (wait > Nanoseconds(0))
            std::this_thread::sleep_for(wait);
        int fd = -1;
        const Connecting state = connectTo(opened.address, fd);
        if (state == Connecting::Pending)
            pending.push_back(fd);
        else
            settle(fd, state);
        progress();
    }
    for (const Nanoseconds end = clock.now() + patience; !pending.empty() && clock.now() < end;) {
        std::this_thread::sleep_for(gap);
        progress();
    }
    for (const int fd : pending)
        ::close(fd);
    return opened;
}

} // namespace tailmark
