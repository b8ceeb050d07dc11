// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/faults.h"
#include "sim/profile.h"

namespace tailmark::sim {

class EventLoop;

struct ServerOptions
{
    Profile profile;
    std::string host = "127.0.0.1";
    int port = 0; ///< 0 = any free one
    int maxQueue =
        0; ///< requests that may wait beyond those that can start at once; more get 429; 0 = any number
    std::uint64_t seed = 1;
    std::string truthFile; ///< empty = no truth log
    std::vector<Fault> faults;
    double coldPenaltyMs = 0; ///< see Engine
    std::vector<std::string> adapters; ///< LoRA adapters that can be asked for by name
    bool tokenizer = true;    ///< false: no /tokenize, as with engines that have none
    bool cachedTokens = true; ///< false: usage leaves cached tokens out, as vLLM's does unless it is told to
    // Told by /server_info:
    std::string startedWith;                   ///< the options of the command line that shape it, as a shell takes them
    std::optional<Profile> profileAsNamed; ///< before the command line changed it; absent = as `profile`
};

/// The simulated engine behind an OpenAI-compatible HTTP face in vLLM's shapes:
/// POST /v1/chat/completions, /v1/completions, /tokenize, /reset_prefix_cache;
/// GET /v1/models, /health, /ping, /version, /metrics, /server_info.
class Server
{
public:
    /// Binds; connections are taken from now on and served once run() is called.
    static Result<std::unique_ptr<Server>> create(const ServerOptions& options);
    ~Server();

    int port() const;
    std::string baseUrl() const; ///< "http://127.0.0.1:8000/v1"
    EventLoop& loop();

    /// Serves until stop(); requests that are open then are cut off and logged.
    void run();
    void stop(); ///< any thread

private:
    class Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tailmark::sim
