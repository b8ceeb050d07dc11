// SPDX-License-Identifier: GPL-3.0-or-later
// What libcurl calls back for: sockets, timers, the moment before sending, headers and data.
#include "load/curl_transport.h"
#include "load/descriptors.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tailmark {

namespace {

Transfer& transferOf(void* pointer)
{
    return *static_cast<Transfer*>(pointer);
}

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCase)
{
    return text.size() >= lowerCase.size() &&
           std::equal(lowerCase.begin(), lowerCase.end(), text.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

} // namespace

CurlTransport::Socket& CurlTransport::socketOf(curl_socket_t fd)
{
    const auto index = static_cast<std::size_t>(fd);
    if (index >= m_sockets.size())
        m_sockets.resize(std::max<std::size_t>(index + 1, 2 * m_sockets.size()));
    return m_sockets[index];
}

/// How many connections the next point can use at once: idle ones, young enough, that the server has not
/// closed.
int CurlTransport::usableConnections()
{
    if (m_clock.now() - m_lastEnd > kIdleLimit / 2)
        return 0;
    int n = 0;
    for (std::size_t fd = 0; fd < m_sockets.size(); ++fd) {
        pollfd state{static_cast<int>(fd), POLLIN | POLLRDHUP, 0};
        n += m_sockets[fd].ours && ::poll(&state, 1, 0) == 0;
    }
    return n;
}

int CurlTransport::takeOpened(const curl_sockaddr& address)
{
    while (!m_opened.sockets.empty() &&
           m_opened.address.matches(address.family, &address.addr, static_cast<socklen_t>(address.addrlen))) {
        const int fd = m_opened.sockets.back();
        m_opened.sockets.pop_back();
        pollfd state{fd, POLLIN | POLLRDHUP, 0};
        if (::poll(&state, 1, 0) == 0)
            return fd;
        ::close(fd); // the server has lost patience
    }
    return -1;
}

/// Registers lazily: a connection that becomes idle stays registered for reading, so that only its first
/// request and uploads that do not fit into the socket's buffer cost a system call.
int CurlTransport::onSocket(CURL* easy, curl_socket_t fd, int what, void* self, void*)
{
    auto& transport = *static_cast<CurlTransport*>(self);
    Socket& socket = transport.socketOf(fd);
    if (what == CURL_POLL_REMOVE) {
        socket.shard = nullptr;
        return 0;
    }
    Transfer* transfer = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    socket.shard = transfer->shard;
    const std::uint32_t wanted = EPOLLIN | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    if (socket.watched != wanted) {
        transport.m_poller.watch(fd, wanted, socket.watched);
        socket.watched = wanted;
    }
    return 0;
}

int CurlTransport::onTimer(CURLM*, long timeoutMs, void* pointer)
{
    auto& shard = *static_cast<Shard*>(pointer);
    shard.callNow = timeoutMs == 0;
    shard.callAt =
        timeoutMs > 0 ? MonotonicClock().now() + std::chrono::milliseconds(timeoutMs) : Nanoseconds::max();
    return 0;
}

curl_socket_t CurlTransport::onOpenSocket(void* pointer, curlsocktype, curl_sockaddr* address)
{
    Transfer& transfer = transferOf(pointer);
    CurlTransport& transport = *transfer.owner;
    int fd = transport.takeOpened(*address);
    transport.m_handedOpened = fd >= 0;
    if (fd < 0)
        fd = openSocket(address->family, address->socktype, address->protocol);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE) {
            transfer.outOfDescriptors = true;
            if (transport.m_note.empty())
                transport.m_note = "file descriptors ran out at " + std::to_string(transport.m_open) +
                                   " connections (raise the hard limit, ulimit -Hn)";
        }
        return CURL_SOCKET_BAD;
    }
    transfer.openedConnection = true;
    transport.socketOf(fd) = Socket{nullptr, 0, true};
    ++transport.m_open;
    return fd;
}

int CurlTransport::onSocketOptions(void* pointer, curl_socket_t fd, curlsocktype)
{
    ReceiveStamps::enable(fd);
    return transferOf(pointer).owner->m_handedOpened ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

int CurlTransport::onCloseSocket(void* self, curl_socket_t fd)
{
    auto& transport = *static_cast<CurlTransport*>(self);
    transport.socketOf(fd) = Socket{};
    --transport.m_open;
    return ::close(fd); // takes it out of the poller, too
}

/// Called right before the request goes out, with the connection established, once per attempt of libcurl. It
/// sends a second time by itself when a connection that was used before turns out dead; that is ours to
/// decide and to count.
int CurlTransport::onBeforeSending(void* pointer, char*, char*, int, int)
{
    Transfer& transfer = transferOf(pointer);
    CurlTransport& transport = *transfer.owner;
    if (transfer.handedOver) {
        transfer.secondAttempt = true;
        return CURL_PREREQFUNC_ABORT;
    }
    transfer.handedOver = true;
    const Nanoseconds now = transport.m_clock.now();
    RequestRecord& record = transfer.record;
    if (!record.resentAfterStale)
        transport.m_counters.sent.add(1);
    record.sent = now - transport.m_origin;
    record.newConnection = transfer.openedConnection;
    if (transfer.openedConnection || transport.m_multiplex) // its own connection, or the one it waited for
        record.connect = now - transfer.begun;
    if (transfer.openedConnection)
        transport.m_counters.newConnections.add(1);
    transfer.lastStamp = now;
    transfer.totalDeadline = now + transport.m_totalLimit;
    transport.m_deadlines.set(transfer.index,
                              transport.m_endpoint.streaming
                                  ? std::min(now + transport.m_firstTokenLimit, transfer.totalDeadline)
                                  : transfer.totalDeadline);
    return CURL_PREREQFUNC_OK;
}

/// The receive time of the data that is being handed over. Data that libcurl read without an event of ours has
/// no kernel stamp any more. libcurl tries to read in the very call in which it has sent; the answer is there
/// already when the server is that fast, or when this thread lost its core in between. The data is younger
/// than `sent`; where that is close enough, the stamp is as good as the kernel's, else the record says that its
/// times were taken at processing.
Nanoseconds CurlTransport::stampOf(Transfer& transfer)
{
    if (!isPresent(m_readStamp)) {
        constexpr Nanoseconds closeEnough{50'000};
        m_readStamp = m_clock.now();
        m_readSource =
            m_readStamp - transfer.lastStamp < closeEnough ? StampSource::Kernel : StampSource::Processing;
    }
    return transfer.lastStamp = std::max(m_readStamp, transfer.lastStamp);
}

std::size_t CurlTransport::onHeader(char* data, std::size_t size, std::size_t n, void* pointer)
{
    Transfer& transfer = transferOf(pointer);
    const std::string_view line(data, size * n);
    if (transfer.headersDone)
        return line.size(); // a trailer
    CurlTransport& transport = *transfer.owner;
    const Nanoseconds stamp = transport.stampOf(transfer);
    if (line.starts_with("HTTP/")) {
        if (transport.m_http2 && !line.starts_with("HTTP/2")) {
            transfer.abortedFor = otherVersionText();
            return 0;
        }
        transfer.contentType.clear();
        transfer.location.clear();
        const std::size_t blank = std::min(line.find(' '), line.size() - 1);
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), transfer.status);
        if (transfer.status >= 200)
            transfer.record.headers = stamp - transport.m_origin;
    } else if (startsWithIgnoringCase(line, "content-type:")) {
        transfer.contentType = trimmed(line.substr(13));
    } else if (startsWithIgnoringCase(line, "location:")) {
        transfer.location = trimmed(line.substr(9));
    } else if (transfer.status >= 200 && trimmed(line).empty()) {
        transfer.headersDone = true;
        transfer.record.stamps = StampSource::Kernel; // until data tells otherwise
        transfer.reader.onHeaders(transfer.status, transfer.contentType, transfer.location);
    }
    return line.size();
}

std::size_t CurlTransport::onData(char* data, std::size_t size, std::size_t n, void* pointer)
{
    Transfer& transfer = transferOf(pointer);
    CurlTransport& transport = *transfer.owner;
    const Nanoseconds stamp = transport.stampOf(transfer);
    transfer.record.stamps =
        std::max(transfer.record.stamps, transport.m_readSource); // the least exact of all
    transfer.reader.feed(data, size * n, stamp);
    if (!transfer.abortedFor.empty())
        return 0;
    if (isPresent(transfer.record.firstToken))
        transport.m_deadlines.set(transfer.index,
                                  std::min(stamp + transport.m_stallLimit, transfer.totalDeadline));
    return size * n;
}

std::size_t Transfer::maxChunks() const
{
    constexpr std::size_t any = 1 << 16;
    return std::max(any, 4 * static_cast<std::size_t>(std::max(record.outputTokensCap, 0)));
}

void Transfer::onTokenEvent(const TokenEvent& event)
{
    if (chunks.empty())
        owner->countAccepted();
    if (chunks.size() >= maxChunks()) {
        abortedFor = "ended after " + std::to_string(chunks.size()) +
                     " token events: the server does not keep to the limit of output tokens";
        return;
    }
    ChunkRecord chunk;
    chunk.sinceSentUs = static_cast<std::uint32_t>((event.at - record.sent).count() / 1000);
    chunk.tokens = static_cast<std::uint16_t>(std::clamp(event.tokens, 0, 0xffff));
    chunk.flags = static_cast<std::uint16_t>((event.answer ? ChunkRecord::Answer : 0) |
                                             (event.coalesced ? ChunkRecord::Coalesced : 0) |
                                             event.choice << ChunkRecord::kChoiceShift);
    chunks.push_back(chunk);
}

} // namespace tailmark
