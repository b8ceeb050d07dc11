// SPDX-License-Identifier: GPL-3.0-or-later
// The limit of what a client on one core can do: own sockets on epoll, a response is over when its last chunk
// ends the data, nothing is parsed. --url-path PATH --port N with --in-flight N (closed loop) or --rate R
// (open loop).
#include "bench_common.h"

#include <sys/epoll.h>

using namespace tailmark::bench;

namespace {

struct Socket
{
    int fd = -1;
    std::uint32_t request = 0;
    std::int64_t chunks = 0;
    char tail[5] = {};
};

class Client
{
public:
    Client(const Arguments& arguments)
        : m_port(arguments.integer("port", 0)), m_path(arguments.text("path", "/one")),
          m_epoll(::epoll_create1(0))
    {
    }

    void closedLoop(int inFlight, double seconds)
    {
        m_sockets.resize(static_cast<std::size_t>(inFlight));
        for (Socket& socket : m_sockets)
            open(socket);
        for (std::size_t i = 0; i < m_sockets.size(); ++i)
            send(m_sockets[i]);
        begin();
        const std::int64_t end = m_start + static_cast<std::int64_t>(seconds * 1e9);
        while (nowNs() < end)
            turn(100, [this](Socket& socket) { send(socket); });
        finish(seconds);
    }

    void openLoop(double rate, double seconds)
    {
        const auto times = poissonTimes(rate, seconds);
        m_sockets.resize(1024);
        for (Socket& socket : m_sockets)
            open(socket);
        std::vector<Socket*> idle;
        for (Socket& socket : m_sockets)
            idle.push_back(&socket);
        std::vector<double> lags;
        lags.reserve(times.size());
        begin();
        std::size_t next = 0;
        const auto sendDue = [&] {
            while (next < times.size() && m_start + times[next] <= nowNs() && !idle.empty()) {
                const std::int64_t intended = m_start + times[next++];
                lags.push_back(static_cast<double>(nowNs() - intended) / 1e6);
                Socket* socket = idle.back();
                idle.pop_back();
                send(*socket);
            }
        };
        while (next < times.size() || idle.size() < m_sockets.size()) {
            sendDue();
            constexpr std::int64_t spin = 50'000;
            const std::int64_t due = next < times.size() ? m_start + times[next] : nowNs() + 1'000'000;
            const std::int64_t left = due - nowNs() - spin;
            turnNs(std::max<std::int64_t>(left, 0), [&](Socket& socket) {
                idle.push_back(&socket);
                sendDue();
            });
        }
        finish(seconds);
        report("sent_per_s", static_cast<double>(times.size()) / seconds);
        report("lag_p50_ms", quantile(lags, 0.5));
        report("lag_p99_ms", quantile(lags, 0.99));
        report("lag_max_ms", quantile(lags, 1));
    }

private:
    void open(Socket& socket)
    {
        socket.fd = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(m_port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            std::exit(1);
        const int on = 1;
        ::setsockopt(socket.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::fcntl(socket.fd, F_SETFL, O_NONBLOCK);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &socket;
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, socket.fd, &event);
    }

    void send(Socket& socket)
    {
        socket.request = m_requests++;
        std::memset(socket.tail, 0, sizeof socket.tail);
        const std::string text = requestText(m_path, m_port, socket.request);
        if (::send(socket.fd, text.data(), text.size(), MSG_NOSIGNAL) < 0)
            std::exit(1);
    }

    template <typename OnDone> void turn(int timeoutMs, OnDone onDone)
    {
        handle(::epoll_wait(m_epoll, m_events, 64, timeoutMs), onDone);
    }
    template <typename OnDone> void turnNs(std::int64_t timeout, OnDone onDone)
    {
        const timespec ts{static_cast<time_t>(timeout / 1'000'000'000),
                          static_cast<long>(timeout % 1'000'000'000)};
        handle(::epoll_pwait2(m_epoll, m_events, 64, &ts, nullptr), onDone);
    }
    template <typename OnDone> void handle(int n, OnDone onDone)
    {
        for (int i = 0; i < n; ++i) {
            Socket& socket = *static_cast<Socket*>(m_events[i].data.ptr);
            char buffer[16384];
            const ssize_t got = ::recv(socket.fd, buffer, sizeof buffer, 0);
            if (got <= 0)
                continue;
            // one chunk ends in an empty line inside "data", each with its own blank line
            for (const char* at = buffer;
                 (at = static_cast<const char*>(
                      ::memmem(at, static_cast<std::size_t>(buffer + got - at), "\"content\"", 9)));
                 at += 9)
                ++m_chunks;
            const auto keep = static_cast<std::size_t>(std::min<ssize_t>(got, 5));
            if (keep == 5)
                std::memcpy(socket.tail, buffer + got - 5, 5);
            if (std::memcmp(socket.tail, "0\r\n\r\n", 5) == 0) {
                ++m_completed;
                onDone(socket);
            }
        }
    }

    void begin()
    {
        m_start = nowNs();
        m_cpu = cpuSeconds();
    }
    void finish(double seconds)
    {
        const double took = static_cast<double>(nowNs() - m_start) / 1e9;
        report("requests_per_s", static_cast<double>(m_completed) / took);
        report("chunks_per_s", static_cast<double>(m_chunks) / took);
        report("core_use", (cpuSeconds() - m_cpu) / took);
        report("rss_mb", residentMb());
        report("seconds", seconds);
    }

    int m_port;
    std::string m_path;
    int m_epoll;
    epoll_event m_events[64];
    std::vector<Socket> m_sockets;
    std::uint32_t m_requests = 0;
    std::int64_t m_completed = 0;
    std::int64_t m_chunks = 0;
    std::int64_t m_start = 0;
    double m_cpu = 0;
};

} // namespace

int main(int argc, char** argv)
{
    const Arguments arguments(argc, argv);
    raiseDescriptorLimit();
    pinTo(arguments.integer("cpu", 0));
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    Client client(arguments);
    const double seconds = arguments.number("seconds", 2);
    if (arguments.number("rate", 0) > 0)
        client.openLoop(arguments.number("rate", 0), seconds);
    else
        client.closedLoop(arguments.integer("in-flight", 64), seconds);
}
