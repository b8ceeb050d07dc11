// SPDX-License-Identifier: GPL-3.0-or-later
// What libcurl itself costs: 64 transfers a multi handle on one epoll loop, sockets registered lazily, and
// nothing else. No time is taken, no byte of a response is looked at. --port N --path PATH --in-flight N
// --seconds S.
#include "bench_common.h"

#include <memory>

#include <curl/curl.h>
#include <sys/epoll.h>

using namespace tailmark::bench;

namespace {

constexpr int kTransfersPerMulti = 64;

struct Multi
{
    CURLM* handle = nullptr;
    bool callNow = false;
    int active = 0;
};

struct Transfer
{
    CURL* easy = nullptr;
    Multi* multi = nullptr;
};

struct Watched
{
    Multi* multi = nullptr;
    std::uint32_t events = 0;
};

int epollFd = -1;
std::vector<Watched> sockets(1 << 16);
std::string body;
std::int64_t bytes = 0;
std::int64_t completed = 0;

int onSocket(CURL*, curl_socket_t fd, int what, void* multi, void*)
{
    Watched& watched = sockets[static_cast<std::size_t>(fd)];
    watched.multi = static_cast<Multi*>(multi);
    if (what == CURL_POLL_REMOVE)
        return 0;
    const std::uint32_t wanted = EPOLLIN | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    if (watched.events != wanted) {
        epoll_event event{};
        event.events = wanted;
        event.data.fd = fd;
        ::epoll_ctl(epollFd, watched.events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
        watched.events = wanted;
    }
    return 0;
}

int onClose(void*, curl_socket_t fd)
{
    sockets[static_cast<std::size_t>(fd)] = {};
    return ::close(fd);
}

int onTimer(CURLM*, long timeoutMs, void* multi)
{
    static_cast<Multi*>(multi)->callNow = timeoutMs == 0;
    return 0;
}

std::size_t onData(char*, std::size_t size, std::size_t n, void*)
{
    bytes += static_cast<std::int64_t>(size * n);
    return size * n;
}

void callNow(Multi& multi)
{
    int running = 0;
    for (int i = 0; multi.callNow && i < 16; ++i) {
        multi.callNow = false;
        curl_multi_socket_action(multi.handle, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

void send(Transfer& transfer)
{
    curl_easy_setopt(transfer.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(transfer.easy, CURLOPT_POSTFIELDS, body.c_str());
    curl_multi_add_handle(transfer.multi->handle, transfer.easy);
    ++transfer.multi->active;
    callNow(*transfer.multi);
}

void collectDone(Multi& multi)
{
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.handle, &left)) {
        Transfer* transfer = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        curl_multi_remove_handle(multi.handle, transfer->easy);
        --multi.active;
        ++completed;
        send(*transfer);
    }
}

} // namespace

int main(int argc, char** argv)
{
    const Arguments arguments(argc, argv);
    raiseDescriptorLimit();
    pinTo(arguments.integer("cpu", 0));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    epollFd = ::epoll_create1(0);
    body = bodyOf(0);
    const std::string url =
        "http://127.0.0.1:" + std::to_string(arguments.integer("port", 0)) + arguments.text("path", "/one");
    const int inFlight = arguments.integer("in-flight", 64);
    const double seconds = arguments.number("seconds", 2);
    curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");

    std::vector<std::unique_ptr<Multi>> multis;
    std::vector<Transfer> transfers(static_cast<std::size_t>(inFlight));
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        if (i % kTransfersPerMulti == 0) {
            auto multi = std::make_unique<Multi>();
            multi->handle = curl_multi_init();
            curl_multi_setopt(multi->handle, CURLMOPT_SOCKETFUNCTION, onSocket);
            curl_multi_setopt(multi->handle, CURLMOPT_SOCKETDATA, multi.get());
            curl_multi_setopt(multi->handle, CURLMOPT_TIMERFUNCTION, onTimer);
            curl_multi_setopt(multi->handle, CURLMOPT_TIMERDATA, multi.get());
            curl_multi_setopt(multi->handle, CURLMOPT_MAXCONNECTS, 2L * kTransfersPerMulti);
            multis.push_back(std::move(multi));
        }
        Transfer& transfer = transfers[i];
        transfer.multi = multis.back().get();
        transfer.easy = curl_easy_init();
        curl_easy_setopt(transfer.easy, CURLOPT_PRIVATE, &transfer);
        curl_easy_setopt(transfer.easy, CURLOPT_URL, url.c_str());
        curl_easy_setopt(transfer.easy, CURLOPT_POST, 1L);
        curl_easy_setopt(transfer.easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(transfer.easy, CURLOPT_PROXY, "");
        curl_easy_setopt(transfer.easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(transfer.easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(transfer.easy, CURLOPT_CLOSESOCKETFUNCTION, onClose);
        curl_easy_setopt(transfer.easy, CURLOPT_WRITEFUNCTION, onData);
    }
    for (Transfer& transfer : transfers)
        send(transfer);

    // the first round opens the connections
    std::int64_t start = 0;
    double cpu = 0;
    std::int64_t countedBytes = 0;
    std::int64_t counted = 0;
    const std::int64_t warmUntil = nowNs() + 300'000'000;
    epoll_event events[64];
    for (;;) {
        const std::int64_t now = nowNs();
        if (start == 0 && now >= warmUntil) {
            start = now;
            cpu = cpuSeconds();
            counted = completed;
            countedBytes = bytes;
        }
        if (start != 0 && now >= start + static_cast<std::int64_t>(seconds * 1e9))
            break;
        const int n = ::epoll_wait(epollFd, events, 64, 10);
        for (int i = 0; i < n; ++i) {
            Multi& multi = *sockets[static_cast<std::size_t>(events[i].data.fd)].multi;
            int ready = 0;
            if (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP))
                ready |= CURL_CSELECT_IN;
            if (events[i].events & EPOLLOUT)
                ready |= CURL_CSELECT_OUT;
            int running = 0;
            curl_multi_socket_action(multi.handle, events[i].data.fd, ready, &running);
            callNow(multi);
            if (running < multi.active)
                collectDone(multi);
        }
    }
    const double took = static_cast<double>(nowNs() - start) / 1e9;
    report("requests_per_s", static_cast<double>(completed - counted) / took);
    report("bytes_per_s", static_cast<double>(bytes - countedBytes) / took);
    report("core_use", (cpuSeconds() - cpu) / took);
    report("rss_mb", residentMb());
    std::fflush(stdout);
    ::_exit(0);
}
