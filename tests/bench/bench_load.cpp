// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the load generator with a bare libcurl loop, a raw epoll client, wrk and hey, all against one stub
// server on loopback, and prints the table. README.md says how to run it and how to read it.
#include "bench_common.h"

#include <csignal>
#include <functional>
#include <optional>

#include <sys/wait.h>

namespace tailmark::bench {

int runTailmarkClient(const Arguments& arguments);

namespace {

constexpr int kClientCpu = 0;
constexpr int kServerCpu = 1;

using Values = std::map<std::string, double>;

std::string ownFolder()
{
    char path[4096];
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string text(path, n > 0 ? static_cast<std::size_t>(n) : 0);
    return text.substr(0, text.rfind('/') + 1);
}

/// A child with its standard output, and on request its input, in pipes.
struct Child
{
    pid_t id = -1;
    int input = -1;
    int output = -1;
};

Child start(const std::vector<std::string>& command, int cpu, bool withInput)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    if (::pipe2(out, O_CLOEXEC) != 0 || (withInput && ::pipe2(in, O_CLOEXEC) != 0))
        std::exit(1);
    Child child;
    child.id = ::fork();
    if (child.id == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        pinTo(cpu);
        ::setpriority(PRIO_PROCESS, 0,
                      -10); // all alike before whatever else uses the machine, where that is allowed
        ::setenv("GOMAXPROCS", "1", 1);
        ::dup2(out[1], STDOUT_FILENO);
        if (withInput)
            ::dup2(in[0], STDIN_FILENO);
        std::vector<char*> arguments;
        for (const std::string& word : command)
            arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    ::close(out[1]);
    if (withInput)
        ::close(in[0]);
    child.output = out[0];
    child.input = in[1];
    return child;
}

std::string readAll(int fd)
{
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    return text;
}

/// Runs a client to its end; nothing when it is not installed or failed.
std::optional<std::string> outputOf(const std::vector<std::string>& command)
{
    const Child child = start(command, kClientCpu, false);
    const std::string text = readAll(child.output);
    ::close(child.output);
    int status = 0;
    ::waitpid(child.id, &status, 0);
    if (status != 0)
        return std::nullopt;
    return text;
}

class StubServer
{
public:
    StubServer() : m_truthFile(ownFolder() + "bench_truth." + std::to_string(::getpid()))
    {
        m_child =
            start({ownFolder() + "stub_server", "--cpu", std::to_string(kServerCpu), "--truth", m_truthFile},
                  kServerCpu, true);
        char text[32] = {};
        [[maybe_unused]] const ssize_t n = ::read(m_child.output, text, sizeof text - 1);
        m_port = std::atoi(text);
    }
    ~StubServer()
    {
        ::close(m_child.input); // it ends with its input
        ::waitpid(m_child.id, nullptr, 0);
        ::close(m_child.output);
        ::unlink(m_truthFile.c_str());
    }
    StubServer(const StubServer&) = delete;
    StubServer& operator=(const StubServer&) = delete;
    int port() const { return m_port; }
    const std::string& truthFile() const { return m_truthFile; }

private:
    std::string m_truthFile;
    Child m_child;
    int m_port = 0;
};

struct Scenario
{
    std::string id;
    std::string title;
    std::string path;
    int inFlight = 0;
    double rate = 0;
    int chunks = 1;
    bool truth = false;
    double seconds = 2;
    /// (name of a value, heading): what the table shows of it
    std::vector<std::pair<std::string, std::string>> shown;
};

const std::vector<Scenario>& scenarios()
{
    static const std::vector<Scenario> all = {
        {"one64",
         "one-token streams, 64 in flight",
         "/one",
         64,
         0,
         1,
         false,
         2,
         {{"requests_per_s", "requests/s"}}},
        {"one1024",
         "one-token streams, 1,024 in flight",
         "/one",
         1024,
         0,
         1,
         false,
         2,
         {{"requests_per_s", "requests/s"}}},
        {"streams2048",
         "2,048 streams at 50 chunks/s",
         "/stream/100/20000/100000/spread",
         2048,
         0,
         100,
         false,
         4,
         {{"chunks_per_s", "chunks/s"},
          {"core_use", "core use"},
          {"lost_chunks", "chunks lost"},
          {"not_completed", "not completed"}}},
        {"lockstep1024",
         "1,024 streams in lockstep, 50 chunks/s",
         "/stream/100/20000/100000/lockstep",
         1024,
         0,
         100,
         true,
         4,
         {{"error_p50_us", "stamp error p50, us"},
          {"error_p99_us", "stamp error p99, us"},
          {"core_use", "core use"},
          {"rss_mb", "RSS, MB"}}},
        {"poisson2000",
         "Poisson, 2,000/s, answers after 20 ms",
         "/delay/20000",
         64,
         2000,
         1,
         false,
         4,
         {{"sent_per_s", "sent/s"},
          {"lag_p50_ms", "send lag p50, ms"},
          {"lag_p99_ms", "send lag p99, ms"},
          {"core_use", "core use"}}},
    };
    return all;
}

Values parse(const std::string& text)
{
    Values values;
    char name[64];
    double value;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (std::sscanf(text.substr(at, end - at).c_str(), "%63s %lf", name, &value) == 2)
            values[name] = value;
        at = end + 1;
    }
    return values;
}

std::optional<double> numberAfter(const std::string& text, const char* label)
{
    const std::size_t at = text.find(label);
    if (at == std::string::npos)
        return std::nullopt;
    return std::atof(text.c_str() + at + std::strlen(label));
}

struct ClientKind
{
    std::string name;
    std::function<std::optional<Values>(const Scenario&, const StubServer&)>
        run; ///< nothing: cannot do this one
};

std::vector<std::string> ownCommand(const std::string& program, const Scenario& scenario,
                                    const StubServer& server)
{
    std::vector<std::string> command = {ownFolder() + program,
                                        "--port",
                                        std::to_string(server.port()),
                                        "--path",
                                        scenario.path,
                                        "--seconds",
                                        std::to_string(scenario.seconds),
                                        "--cpu",
                                        std::to_string(kClientCpu)};
    if (scenario.rate > 0)
        command.insert(command.end(), {"--rate", std::to_string(scenario.rate)});
    else
        command.insert(command.end(), {"--in-flight", std::to_string(scenario.inFlight)});
    return command;
}

std::optional<Values> runOwn(const std::vector<std::string>& command)
{
    const auto text = outputOf(command);
    return text ? std::optional(parse(*text)) : std::nullopt;
}

std::optional<Values> runWrk(const Scenario& scenario, const StubServer& server)
{
    if (scenario.path != "/one")
        return std::nullopt;
    const std::string script = ownFolder() + "bench_post.lua";
    std::ofstream(script) << "wrk.method = \"POST\"\nwrk.body = '" << bodyOf(0)
                          << "'\nwrk.headers[\"Content-Type\"] = \"application/json\"\n";
    const auto text = outputOf({"wrk", "-t1", "-c" + std::to_string(scenario.inFlight),
                                "-d" + std::to_string(static_cast<int>(scenario.seconds)) + "s", "-s", script,
                                "http://127.0.0.1:" + std::to_string(server.port()) + scenario.path});
    ::unlink(script.c_str());
    const auto rate = text ? numberAfter(*text, "Requests/sec:") : std::nullopt;
    return rate ? std::optional(Values{{"requests_per_s", *rate}}) : std::nullopt;
}

std::optional<Values> runHey(const Scenario& scenario, const StubServer& server)
{
    if (scenario.path != "/one")
        return std::nullopt;
    const auto text =
        outputOf({"hey", "-z", std::to_string(static_cast<int>(scenario.seconds)) + "s", "-c",
                  std::to_string(scenario.inFlight), "-cpus", "1", "-m", "POST", "-T", "application/json",
                  "-d", bodyOf(0), "http://127.0.0.1:" + std::to_string(server.port()) + scenario.path});
    const auto rate = text ? numberAfter(*text, "Requests/sec:") : std::nullopt;
    return rate ? std::optional(Values{{"requests_per_s", *rate}}) : std::nullopt;
}

std::vector<ClientKind> clients()
{
    return {
        {"Tailmark",
         [](const Scenario& scenario, const StubServer& server) {
             auto command = ownCommand("bench_load", scenario, server);
             command.insert(command.end(), {"--client", "1", "--chunks", std::to_string(scenario.chunks)});
             if (scenario.truth)
                 command.insert(command.end(), {"--truth", server.truthFile()});
             return runOwn(command);
         }},
        {"bare libcurl",
         [](const Scenario& scenario, const StubServer& server) {
             return scenario.rate > 0 ? std::nullopt : runOwn(ownCommand("bare_curl", scenario, server));
         }},
        {"raw epoll",
         [](const Scenario& scenario, const StubServer& server) {
             return runOwn(ownCommand("raw_client", scenario, server));
         }},
        {"wrk", runWrk},
        {"hey", runHey},
    };
}

std::string cell(const std::vector<Values>& runs, const std::string& name)
{
    std::vector<double> values;
    for (const Values& run : runs)
        if (const auto it = run.find(name); it != run.end())
            values.push_back(it->second);
    if (values.empty())
        return "-";
    const double median = quantile(values, 0.5);
    char text[32];
    std::snprintf(
        text, sizeof text,
        median == static_cast<double>(static_cast<long>(median)) || median >= 1000 ? "%.0f" : "%.3g", median);
    return text;
}

} // namespace

int compare(const Arguments& arguments)
{
    const std::string only = arguments.text("only");
    const std::string onlyClient = arguments.text("client-name");
    const int repeats = arguments.integer("repeat", 3);
    const StubServer server;
    const auto kinds = clients();
    std::printf("%-40s %-22s", "scenario", ("median of " + std::to_string(repeats)).c_str());
    for (const ClientKind& kind : kinds)
        std::printf(" %14s", kind.name.c_str());
    std::printf("\n");
    for (const Scenario& scenario : scenarios()) {
        if (!only.empty() && only != scenario.id)
            continue;
        std::vector<std::vector<Values>> results(kinds.size());
        for (int repeat = 0; repeat < repeats; ++repeat) // clients take turns, so that a disturbance hits all
            for (std::size_t i = 0; i < kinds.size(); ++i)
                if (onlyClient.empty() || onlyClient == kinds[i].name)
                    if (const auto values = kinds[i].run(scenario, server))
                        results[i].push_back(*values);
        bool first = true;
        for (const auto& [name, heading] : scenario.shown) {
            std::printf("%-40s %-22s", first ? scenario.title.c_str() : "", heading.c_str());
            for (const auto& runs : results)
                std::printf(" %14s", cell(runs, name).c_str());
            std::printf("\n");
            first = false;
        }
        if (arguments.integer("all-values", 0) != 0 && !results[0].empty())
            for (const auto& [name, value] : results[0].back())
                std::printf("    %s %.6g\n", name.c_str(), value);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace tailmark::bench

int main(int argc, char** argv)
{
    using namespace tailmark::bench;
    const Arguments arguments(argc, argv);
    return arguments.integer("client", 0) != 0 ? runTailmarkClient(arguments) : compare(arguments);
}
