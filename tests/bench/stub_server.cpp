// SPDX-License-Identifier: GPL-3.0-or-later
// A server as fast as one core allows, with streams of exact times. The path says what a request gets:
//   /one                                     a complete one-token stream at once
//   /delay/US                                the same US microseconds later
//   /stream/CHUNKS/GAP_US/FIRST_US/lockstep  CHUNKS tokens, one every GAP_US after FIRST_US, all streams on
//   one beat /stream/CHUNKS/GAP_US/FIRST_US/spread    the same, each stream on its own beat
// Prints its port. Ends when its standard input does. --truth FILE logs when each chunk was written.
#include "bench_common.h"

#include <memory>
#include <queue>

#include <poll.h>
#include <sys/epoll.h>

using namespace tailmark::bench;

namespace {

std::string chunkOf(const std::string& text)
{
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
}

std::string eventOf(const std::string& members)
{
    return "data: "
           "{\"id\":\"chatcmpl-4f1c9d2ab7e64c5f8a30\",\"object\":\"chat.completion.chunk\",\"created\":"
           "1767225600,"
           "\"model\":\"stub\"," +
           members + "}\n\n";
}

const std::string kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kToken = chunkOf(eventOf(
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\" one\"},\"logprobs\":null,\"finish_reason\":null}]"));

std::string tailOf(int tokens)
{
    return chunkOf(eventOf(
               "\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}]")) +
           chunkOf(eventOf("\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"total_tokens\":" +
                           std::to_string(12 + tokens) + ",\"completion_tokens\":" + std::to_string(tokens) +
                           "}")) +
           chunkOf("data: [DONE]\n\n") + "0\r\n\r\n";
}

struct Connection
{
    int fd = -1;
    std::uint32_t generation = 0;
    std::string input;
    std::uint32_t request = 0;
    int chunks = 0; ///< of the stream that goes on
    int written = 0;
    std::int64_t gapNs = 0;
};

struct Due
{
    std::int64_t at;
    int fd;
    std::uint32_t generation; ///< of the connection, so that a closed one is passed over
    bool operator>(const Due& other) const { return at > other.at; }
};

class Server
{
public:
    explicit Server(const std::string& truthFile)
    {
        if (!truthFile.empty())
            m_truth = std::make_unique<TruthLog>(truthFile);
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(m_listener, 4096) != 0)
            std::exit(1);
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
        std::printf("%d\n", ntohs(address.sin_port));
        std::fflush(stdout);
        m_epoll = ::epoll_create1(0);
        watch(m_listener);
        watch(STDIN_FILENO);
    }

    void run()
    {
        epoll_event events[256];
        for (;;) {
            const int n = ::epoll_pwait2(m_epoll, events, 256, timeout(), nullptr);
            for (int i = 0; i < n; ++i) {
                if (events[i].data.fd == STDIN_FILENO)
                    return;
                if (events[i].data.fd == m_listener)
                    acceptAll();
                else
                    read(m_connections[static_cast<std::size_t>(events[i].data.fd)]);
            }
            serveDue();
        }
    }

private:
    void watch(int fd)
    {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, fd, &event);
    }

    /// Sleeps up to 60 µs before the next time, then polls.
    const timespec* timeout()
    {
        m_timeout = {10, 0};
        if (!m_due.empty()) {
            const std::int64_t left = std::max<std::int64_t>(0, m_due.top().at - nowNs() - 60'000);
            m_timeout = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
        }
        return &m_timeout;
    }

    void acceptAll()
    {
        int fd;
        while ((fd = ::accept4(m_listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0) {
            const int on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            const auto index = static_cast<std::size_t>(fd);
            if (m_connections.size() <= index)
                m_connections.resize(index + 1);
            const std::uint32_t generation = m_connections[index].generation;
            m_connections[index] = Connection{};
            m_connections[index].fd = fd;
            m_connections[index].generation = generation;
            watch(fd);
        }
    }

    void read(Connection& connection)
    {
        char buffer[65536];
        const ssize_t n = ::recv(connection.fd, buffer, sizeof buffer, 0);
        if (n <= 0) {
            if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
            ::close(connection.fd);
            ++connection.generation;
            return;
        }
        connection.input.append(buffer, static_cast<std::size_t>(n));
        const std::size_t end = connection.input.find("\r\n\r\n");
        if (end == std::string::npos)
            return;
        std::size_t length = 0;
        const std::size_t at = connection.input.find("Content-Length: ");
        if (at < end)
            length = static_cast<std::size_t>(std::atol(connection.input.c_str() + at + 16));
        if (connection.input.size() < end + 4 + length)
            return;
        const std::size_t number = connection.input.find("{\"n\":", end);
        connection.request =
            number == std::string::npos
                ? 0
                : static_cast<std::uint32_t>(std::atol(connection.input.c_str() + number + 5));
        answer(connection, connection.input.c_str() + connection.input.find(' ') + 1);
        connection.input.erase(0, end + 4 + length);
    }

    void answer(Connection& connection, const char* path)
    {
        static const std::string one = kHead + kToken + tailOf(1);
        if (std::strncmp(path, "/stream/", 8) == 0) {
            long chunks = 0;
            long gapUs = 0;
            long firstUs = 0;
            char beat[16] = "";
            std::sscanf(path, "/stream/%ld/%ld/%ld/%15[a-z]", &chunks, &gapUs, &firstUs, beat);
            connection.chunks = static_cast<int>(chunks);
            connection.written = 0;
            connection.gapNs = gapUs * 1000;
            std::int64_t first = nowNs() + firstUs * 1000;
            if (std::strcmp(beat, "lockstep") == 0)
                first += connection.gapNs - first % connection.gapNs;
            else
                first += static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(connection.gapNs));
            write(connection, kHead);
            m_due.push({first, connection.fd, connection.generation});
        } else if (std::strncmp(path, "/delay/", 7) == 0) {
            connection.chunks = 0;
            m_due.push({nowNs() + std::atol(path + 7) * 1000, connection.fd, connection.generation});
        } else {
            write(connection, one);
        }
    }

    void serveDue()
    {
        static const std::string one = kHead + kToken + tailOf(1);
        const std::int64_t now = nowNs();
        while (!m_due.empty() && m_due.top().at <= now) {
            const Due due = m_due.top();
            m_due.pop();
            Connection& connection = m_connections[static_cast<std::size_t>(due.fd)];
            if (connection.generation != due.generation)
                continue;
            if (connection.chunks == 0) {
                write(connection, one);
                continue;
            }
            if (m_truth)
                m_truth->at(connection.request, static_cast<std::uint32_t>(connection.written)) = nowNs();
            if (++connection.written < connection.chunks) {
                write(connection, kToken);
                m_due.push({due.at + connection.gapNs, connection.fd, connection.generation});
            } else {
                write(connection, kToken + tailOf(connection.chunks));
            }
        }
    }

    static void write(const Connection& connection, const std::string& text)
    {
        // what does not fit into the socket's buffer is lost, which the client then counts
        [[maybe_unused]] const ssize_t n = ::send(connection.fd, text.data(), text.size(), MSG_NOSIGNAL);
    }

    int m_listener = -1;
    int m_epoll = -1;
    timespec m_timeout{};
    std::vector<Connection> m_connections;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> m_due;
    std::unique_ptr<TruthLog> m_truth;
    std::mt19937_64 m_random{11};
};

} // namespace

int main(int argc, char** argv)
{
    const Arguments arguments(argc, argv);
    raiseDescriptorLimit();
    pinTo(arguments.integer("cpu", 1));
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    Server(arguments.text("truth")).run();
}
