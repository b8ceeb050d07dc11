// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load/deadlines.h"
#include "load/load_counters.h"
#include "load/load_generator.h"
#include "load/poller.h"
#include "load/receive_stamps.h"
#include "load/record_buffers.h"
#include "load/target_address.h"
#include "load/thread_meter.h"
#include "load/transfer.h"
#include "load/transport.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

namespace tailmark {

/// Carries requests over libcurl: keep-alive connections, several multi handles on one epoll loop, easy
/// handles and buffers used again. One thread owns it; the owner calls wait(), then process() for each event,
/// sending what has come due between them, then settle().
///
/// Whatever the server does, each request ends: libcurl ends it, or one of the four time limits does (looked
/// at every kTick), or cancelAll().
class CurlTransport final : public Transport
{
public:
    static constexpr Nanoseconds kTick{10'000'000};
    /// Servers close idle connections after 5 s and more; a connection that is close to that is not used
    /// again.
    static constexpr Nanoseconds kIdleLimit{4'000'000'000};

    CurlTransport(const Endpoint& endpoint, const TargetAddress& address, Poller& poller, ThreadMeter& meter,
                  RecordBuffers& records, LoadCounters& counters);
    ~CurlTransport() override;
    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;

    /// Before a point: takes memory for `transfers` at once, and opens what is missing to so many
    /// connections, at most `connectionsPerS`. Blocks meanwhile.
    void prepare(std::shared_ptr<const RequestSource> source, int transfers, int connections,
                 int connectionsPerS);
    /// Times of records count from `origin` (absolute).
    void begin(Nanoseconds origin, TransportObserver& observer);

    void send(const SendOrder& order) override;
    void cancelAll() override;

    /// Waits for events until `until` (absolute, with the poller's precision), at most up to the next tick.
    std::span<const epoll_event> wait(Nanoseconds until);
    /// Returns when it began (absolute).
    Nanoseconds process(const epoll_event& event);
    /// Ends what ended without an event, and once per tick what is over its time limit.
    void settle();

    /// A first token came.
    void countAccepted() { m_counters.accepted.add(1); }

    /// What kept it from working as asked, in words; empty = nothing.
    const std::string& note() const { return m_note; }

private:
    /// What the poller knows of a descriptor. The registration outlives the request, so that a connection
    /// that is used again costs no system call.
    struct Socket
    {
        Shard* shard = nullptr;    ///< whose transfers use it; nullptr: idle
        std::uint32_t watched = 0; ///< epoll events
        bool ours = false;         ///< an open connection of this transport
    };

    static int onSocket(CURL* easy, curl_socket_t fd, int what, void* self, void* unused);
    static int onTimer(CURLM* multi, long timeoutMs, void* shard);
    static curl_socket_t onOpenSocket(void* transfer, curlsocktype purpose, curl_sockaddr* address);
    static int onSocketOptions(void* transfer, curl_socket_t fd, curlsocktype purpose);
    static int onCloseSocket(void* self, curl_socket_t fd);
    static int onBeforeSending(void* transfer, char*, char*, int, int);
    static std::size_t onHeader(char* data, std::size_t size, std::size_t n, void* transfer);
    static std::size_t onData(char* data, std::size_t size, std::size_t n, void* transfer);

    void createTransfer();
    void configure(CURL* easy, Transfer& transfer);
    int usableConnections();
    int takeOpened(const curl_sockaddr& address);
    Socket& socketOf(curl_socket_t fd);

    void start(Transfer& transfer);
    /// Calls libcurl as long as it asks to be called; the number of transfers that are still running.
    int callLibcurl(Shard& shard);
    void collectDone(Shard& shard);
    void tick(Nanoseconds now);
    void finished(Transfer& transfer, CURLcode code);
    void expired(Transfer& transfer, Nanoseconds now);
    void end(Transfer& transfer, Outcome outcome, std::string_view error, Nanoseconds at);
    void detach(Transfer& transfer);
    Nanoseconds stampOf(Transfer& transfer);

    const Endpoint& m_endpoint;
    const TargetAddress& m_address;
    Nanoseconds m_connectLimit, m_firstTokenLimit, m_stallLimit, m_totalLimit;
    const bool m_http2;
    const bool m_multiplex; ///< the transfers of a shard share connections
    Poller& m_poller;
    ThreadMeter& m_meter;
    RecordBuffers& m_records;
    LoadCounters& m_counters;
    MonotonicClock m_clock;
    ReceiveStamps m_stamps;

    std::shared_ptr<const RequestSource> m_source;
    TransportObserver* m_observer = nullptr;
    Nanoseconds m_origin{0};

    CURLU* m_url = nullptr;
    curl_slist* m_headers = nullptr;
    curl_slist* m_resolve = nullptr;
    std::vector<std::unique_ptr<Shard>> m_shards;
    std::vector<std::unique_ptr<Transfer>> m_transfers;
    std::vector<std::uint32_t> m_free; ///< the last one freed is used next: its connection is warm
    std::vector<Socket> m_sockets;     ///< by descriptor
    OpenedAhead m_opened;
    bool m_handedOpened = false; ///< the socket just given to libcurl is connected already

    Deadlines m_deadlines; ///< by transfer
    std::vector<std::size_t> m_expired;
    std::vector<Transfer*> m_refused; ///< libcurl did not take them
    int m_open = 0;                   ///< connections, idle ones included
    Nanoseconds m_lastEnd{0};         ///< of a request
    Nanoseconds m_wakeTime{0};        ///< when the last wait ended
    /// Receive time of the data that libcurl is handing over, whichever transfers it belongs to; absent where
    /// it reads without an event.
    Nanoseconds m_readStamp = kAbsentTime;
    StampSource m_readSource = StampSource::Processing;
    Nanoseconds m_nextTick{0};
    bool m_unsettled = false; ///< a shard may have transfers that are done
    std::string m_note;
};

} // namespace tailmark
