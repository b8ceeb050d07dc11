// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/curl_transport.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace tailmark {

namespace {

constexpr Nanoseconds kOpenPatience{1'000'000'000};

std::string secondsText(double seconds)
{
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text + " s";
}

/// The connection gave out before anything of a response came.
bool mayHaveBeenStale(CURLcode code)
{
    return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
}

} // namespace

CurlTransport::CurlTransport(const Endpoint& endpoint, const TargetAddress& address, Poller& poller,
                             ThreadMeter& meter, RecordBuffers& records, LoadCounters& counters)
    : m_endpoint(endpoint), m_address(address), m_connectLimit(fromSeconds(endpoint.limits.connectTimeoutS)),
      m_firstTokenLimit(fromSeconds(endpoint.limits.firstTokenTimeoutS)),
      m_stallLimit(fromSeconds(endpoint.limits.stallTimeoutS)),
      m_totalLimit(fromSeconds(endpoint.limits.totalTimeoutS)),
      m_http2(endpoint.connection.httpVersion == HttpVersion::Http2),
      m_multiplex(m_http2 && !needsOwnConnections(endpoint.connection, endpoint.url)), m_poller(poller),
      m_meter(meter), m_records(records), m_counters(counters)
{
    m_headers = headerList(endpoint.headers, true);
    // parsed once: libcurl would take a URL apart and put it together again for every request (a tenth of its
    // work)
    m_url = curl_url();
    curl_url_set(m_url, CURLUPART_URL, endpoint.url.c_str(), 0);
    if (!address.resolveEntry.empty())
        m_resolve = curl_slist_append(nullptr, address.resolveEntry.c_str());
}

CurlTransport::~CurlTransport()
{
    for (const auto& transfer : m_transfers) {
        if (transfer->attached)
            curl_multi_remove_handle(transfer->shard->multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    for (const auto& shard : m_shards)
        curl_multi_cleanup(shard->multi);
    for (const int fd : m_opened.sockets)
        ::close(fd);
    curl_url_cleanup(m_url);
    curl_slist_free_all(m_headers);
    curl_slist_free_all(m_resolve);
}

void CurlTransport::prepare(std::shared_ptr<const RequestSource> source, int transfers, int connections,
                            int connectionsPerS)
{
    m_source = std::move(source);
    m_note.clear();
    while (m_transfers.size() < static_cast<std::size_t>(transfers))
        createTransfer();
    for (const int fd : m_opened.sockets)
        ::close(fd);
    if (m_multiplex)
        connections = (connections + Shard::kTransfers - 1) / Shard::kTransfers;
    m_opened = openAhead(m_address, connections - usableConnections(), connectionsPerS, kOpenPatience);
}

void CurlTransport::begin(Nanoseconds origin, TransportObserver& observer)
{
    m_origin = origin;
    m_observer = &observer;
    m_stamps.calibrate();
    m_nextTick = m_clock.now() + kTick;
}

void CurlTransport::createTransfer()
{
    if (m_transfers.size() % Shard::kTransfers == 0) {
        auto shard = std::make_unique<Shard>();
        shard->multi = curl_multi_init();
        curl_multi_setopt(shard->multi, CURLMOPT_SOCKETFUNCTION, &CurlTransport::onSocket);
        curl_multi_setopt(shard->multi, CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(shard->multi, CURLMOPT_TIMERFUNCTION, &CurlTransport::onTimer);
        curl_multi_setopt(shard->multi, CURLMOPT_TIMERDATA, shard.get());
        // a smaller pool would close connections that the next request needs
        curl_multi_setopt(shard->multi, CURLMOPT_MAXCONNECTS, 2L * Shard::kTransfers);
        curl_multi_setopt(shard->multi, CURLMOPT_PIPELINING,
                          m_multiplex ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
        m_shards.push_back(std::move(shard));
    }
    auto transfer = std::make_unique<Transfer>();
    transfer->owner = this;
    transfer->shard = m_shards.back().get();
    transfer->index = static_cast<std::uint32_t>(m_transfers.size());
    transfer->easy = curl_easy_init();
    if (transfer->easy)
        configure(transfer->easy, *transfer);
    m_free.push_back(transfer->index);
    m_transfers.push_back(std::move(transfer));
    m_deadlines.resize(m_transfers.size());
}

void CurlTransport::configure(CURL* easy, Transfer& transfer)
{
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
    curl_easy_setopt(easy, CURLOPT_CURLU, m_url);
    configureConnection(easy, m_endpoint.connection, m_endpoint.url);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, m_headers);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, m_resolve);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT,
                     m_multiplex ? 1L : 0L); // share the connection that is being made
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(toSeconds(kIdleLimit)));
    // ours comes first; libcurl's own default of 300 s must not
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     m_connectLimit > std::chrono::seconds(250) ? static_cast<long>(2 * toMs(m_connectLimit))
                                                                : 0L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.detail);

    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlTransport::onOpenSocket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &CurlTransport::onSocketOptions);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, &transfer);
    // a connection may outlive the transfer that opened it
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CurlTransport::onCloseSocket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlTransport::onBeforeSending);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlTransport::onHeader);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransport::onData);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

void CurlTransport::send(const SendOrder& order)
{
    if (m_free.empty())
        createTransfer();
    Transfer& transfer = *m_transfers[m_free.back()];
    m_free.pop_back();
    transfer.active = true;
    transfer.freshConnection = false;
    transfer.record = recordOf(order);
    transfer.chunks.clear();
    transfer.chunks.reserve(static_cast<std::size_t>(std::max(order.planned.outputTokens, 0)) + 8);
    m_source->writeBody(order.request, transfer.body);
    start(transfer);
}

/// One attempt. What goes wrong at once is told in settle(), never from here.
void CurlTransport::start(Transfer& transfer)
{
    transfer.reader.reset(m_endpoint.streaming, m_origin, &transfer.record, &transfer,
                          m_endpoint.emptyDelta);
    transfer.status = 0;
    transfer.headersDone = transfer.handedOver = transfer.secondAttempt = false;
    transfer.openedConnection = transfer.outOfDescriptors = false;
    transfer.lastStamp = kAbsentTime;
    transfer.detail[0] = '\0';
    transfer.abortedFor.clear();
    transfer.begun = m_clock.now();
    m_deadlines.set(transfer.index, transfer.begun + m_connectLimit);

    Shard& shard = *transfer.shard;
    CURL* easy = transfer.easy;
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, transfer.freshConnection ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer.body.c_str());
    if (!easy || !shard.multi || curl_multi_add_handle(shard.multi, easy) != CURLM_OK) {
        m_refused.push_back(&transfer);
        m_unsettled = true;
        return;
    }
    transfer.attached = true;
    ++shard.active;
    if (callLibcurl(shard) < shard.active)
        shard.mayBeDone = m_unsettled = true;
}

int CurlTransport::callLibcurl(Shard& shard)
{
    int running = shard.active;
    // it may ask again from inside; bounded all the same, the rest is done in the next tick
    for (int i = 0; shard.callNow && i < 16; ++i) {
        shard.callNow = false;
        curl_multi_socket_action(shard.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    m_readStamp = kAbsentTime;
    return running;
}

std::span<const epoll_event> CurlTransport::wait(Nanoseconds until)
{
    const bool onTime = until <= m_nextTick;
    const auto events = m_poller.wait(m_unsettled ? Nanoseconds(0) : std::min(until, m_nextTick), onTime);
    m_wakeTime = m_clock.now();
    return events;
}

Nanoseconds CurlTransport::process(const epoll_event& event)
{
    const Nanoseconds now = m_clock.now();
    const int fd = event.data.fd;
    Shard* const shard = socketOf(fd).shard;
    if (!shard) { // the server closed an idle connection; libcurl sees that before it would use it again
        m_poller.forget(fd);
        socketOf(fd).watched = 0;
        return now;
    }
    constexpr std::uint32_t broken = EPOLLERR | EPOLLHUP;
    int ready = 0;
    if (event.events & (EPOLLIN | broken)) {
        ready |= CURL_CSELECT_IN;
        // a look at a broken socket would take the reason away that libcurl is to tell
        const Nanoseconds kernel = (event.events & EPOLLERR) != 0 ? kAbsentTime : m_stamps.peek(fd);
        m_readSource = isPresent(kernel) ? StampSource::Kernel : StampSource::Readiness;
        m_readStamp = std::min(isPresent(kernel) ? kernel : m_wakeTime, now);
        if (isPresent(kernel))
            m_meter.loopLag.add(now - kernel);
    }
    if (event.events & (EPOLLOUT | broken))
        ready |= CURL_CSELECT_OUT;

    int running = 0;
    curl_multi_socket_action(shard->multi, fd, ready, &running);
    if (shard->callNow) // with TLS and HTTP/2: what it had taken in and not yet passed on
        running = callLibcurl(*shard);
    m_readStamp = kAbsentTime;
    if (running < shard->active)
        collectDone(*shard);
    return now;
}

void CurlTransport::settle()
{
    if (m_unsettled) {
        m_unsettled = false;
        for (const auto& shard : m_shards)
            if (shard->mayBeDone)
                collectDone(*shard);
        for (Transfer* transfer : std::exchange(m_refused, {})) {
            m_note = "libcurl did not take a request";
            end(*transfer, Outcome::NotSent, m_note, m_clock.now());
        }
    }
    const Nanoseconds now = m_clock.now();
    if (now >= m_nextTick)
        tick(now);
}

void CurlTransport::tick(Nanoseconds now)
{
    m_nextTick = now + kTick;
    m_stamps.calibrate();
    for (const auto& shard : m_shards) {
        if (shard->callAt <= now) {
            shard->callAt = Nanoseconds::max();
            shard->callNow = true;
        }
        if (shard->callNow && callLibcurl(*shard) < shard->active)
            collectDone(*shard);
    }
    m_expired.clear();
    m_deadlines.collect(now, m_expired);
    for (const std::size_t index : m_expired)
        expired(*m_transfers[index], now);
}

void CurlTransport::collectDone(Shard& shard)
{
    shard.mayBeDone = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(shard.multi, &left)) {
        if (message->msg != CURLMSG_DONE)
            continue;
        const CURLcode code = message->data.result; // the message is gone once the handle is removed
        Transfer* transfer = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        finished(*transfer, code);
    }
}

void CurlTransport::finished(Transfer& transfer, CURLcode code)
{
    const std::string error = code == CURLE_OK
                                  ? std::string()
                                  : failureText(transfer.easy, code, transfer.detail, m_endpoint.connection);
    detach(transfer);

    RequestRecord& record = transfer.record;
    const bool stale = transfer.handedOver && !record.newConnection && transfer.status == 0 &&
                       (transfer.secondAttempt || mayHaveBeenStale(code));
    if (stale && !record.resentAfterStale) {
        record.resentAfterStale = true;
        transfer.freshConnection = true;
        m_counters.staleConnections.add(1);
        start(transfer);
        return;
    }

    const Nanoseconds now = m_clock.now();
    if (code == CURLE_OK) {
        transfer.reader.finish(true);
        end(transfer, record.outcome, transfer.reader.errorText(),
            isPresent(transfer.lastStamp) ? transfer.lastStamp : now);
        return;
    }
    if (!transfer.abortedFor.empty()) {
        if (transfer.headersDone)
            transfer.reader.finish(false); // counts what came
        end(transfer, Outcome::Malformed, transfer.abortedFor, now);
        return;
    }
    if (transfer.outOfDescriptors) {
        end(transfer, Outcome::NotSent, m_note, now);
    } else if (!transfer.handedOver) {
        end(transfer, code == CURLE_OPERATION_TIMEDOUT ? Outcome::TimeoutConnect : Outcome::ConnectFailed,
            error, now);
    } else if (!transfer.headersDone) {
        const bool garbage = code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY;
        end(transfer, garbage ? Outcome::Malformed : Outcome::Truncated, error, now);
    } else {
        transfer.reader.finish(false);
        const bool told = !transfer.reader.errorText().empty();
        end(transfer, record.outcome, told ? transfer.reader.errorText() : std::string(), now);
    }
}

void CurlTransport::expired(Transfer& transfer, Nanoseconds now)
{
    detach(transfer);
    Outcome outcome = Outcome::TimeoutStall;
    std::string error = "silence for " + secondsText(m_endpoint.limits.stallTimeoutS);
    if (!transfer.handedOver) {
        outcome = Outcome::TimeoutConnect;
        error = "no connection within " + secondsText(m_endpoint.limits.connectTimeoutS);
        if (m_endpoint.url.starts_with("https://"))
            error += ", TLS included; is it an http:// server?";
    } else if (now >= transfer.totalDeadline) {
        outcome = Outcome::TimeoutTotal;
        error = "not over within " + secondsText(m_endpoint.limits.totalTimeoutS);
    } else if (!isPresent(transfer.record.firstToken)) {
        outcome = Outcome::TimeoutFirstToken;
        error = "no token within " + secondsText(m_endpoint.limits.firstTokenTimeoutS);
    }
    if (transfer.headersDone)
        transfer.reader.finish(false); // counts what came
    end(transfer, outcome, error, now);
}

void CurlTransport::cancelAll()
{
    const Nanoseconds now = m_clock.now();
    m_refused.clear();
    for (const auto& transfer : m_transfers) {
        if (!transfer->active)
            continue;
        detach(*transfer);
        if (transfer->headersDone)
            transfer->reader.finish(false);
        end(*transfer, Outcome::Cancelled, {}, now);
    }
}

/// Takes the transfer out of libcurl; a connection in the middle of a response is closed thereby.
void CurlTransport::detach(Transfer& transfer)
{
    m_deadlines.clear(transfer.index);
    if (!std::exchange(transfer.attached, false))
        return;
    curl_multi_remove_handle(transfer.shard->multi, transfer.easy);
    --transfer.shard->active;
}

void CurlTransport::end(Transfer& transfer, Outcome outcome, std::string_view error, Nanoseconds at)
{
    RequestRecord& record = transfer.record;
    record.outcome = outcome;
    record.closed = at - m_origin;
    if (outcome == Outcome::Completed && transfer.chunks.empty())
        m_counters.accepted.add(1); // a whole response
    m_counters.events.add(static_cast<std::uint64_t>(record.tokenEvents));
    m_counters.coalescedEvents.add(static_cast<std::uint64_t>(record.coalescedEvents));
    m_deadlines.clear(transfer.index);
    transfer.active = false;
    m_lastEnd = at;
    m_free.push_back(transfer.index);
    m_records.add(record, transfer.chunks, error);
    m_observer->ended(record);
}

} // namespace tailmark
