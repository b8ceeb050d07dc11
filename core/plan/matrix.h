// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

// What the user edits. Every struct is a plain value with the contract's keys as members and its defaults as
// defaults; plan_json.h reads and writes the file, validate.h says what is wrong with a value.

enum class Api { Chat, Completions };
enum class HttpVersion { Http11, Http2 };
enum class OutputPolicy { Natural, Forced };
enum class CachePolicy { Cold, Warm, AsIs };
enum class BeyondContext { Stop, Clip, Send };
enum class TokenEvidencePolicy { Off, On };
enum class LengthsKind { Fixed, Trace, Empirical, Quantiles, Mix, Prompts };
enum class LengthsDraw { Joint, Independent };
enum class PrefixKind { None, Shared, Trace };
enum class SessionsKind { None, Trace, Synthetic };
enum class TestKind { FixedShape, ConcurrencySweep, ArrivalSweep, BurstRecovery, ColdStart };
enum class ThinkTime { Constant, Exponential, Trace };
enum class ArrivalProcess { Constant, Poisson, Gamma, Weibull, Recorded };
enum class PointOrder { Sequential, Interleaved, Shuffled };
enum class FailureDenominator { Attempted, Accepted };

struct Tls
{
    bool verify = true;
    std::string caFile;
    bool operator==(const Tls&) const = default;
};

struct Target
{
    std::string baseUrl = "http://127.0.0.1:8000/v1";
    Api api = Api::Chat;
    std::string model; ///< empty = the only model that the target lists
    std::string engine = "auto";
    std::string apiKeyEnv; ///< name of the environment variable; the key itself is never part of a matrix
    std::map<std::string, std::string> headers;
    nlohmann::json extraBody = nlohmann::json::object();
    Tls tls;
    HttpVersion httpVersion = HttpVersion::Http11; ///< 2: by ALPN with TLS, by prior knowledge without
    std::string proxy; ///< "http://host:port"; empty = none, whatever the environment says
    std::string metricsUrl = "auto";
    bool operator==(const Target&) const = default;
};

/// What the user states about the system under test; becomes the typed entries of the run card.
struct CardInput
{
    std::map<std::string, std::string> entries; ///< the card's fixed keys; empty values are left out
    std::map<std::string, std::string> flags;
    bool operator==(const CardInput&) const = default;
};

/// Inputs of the bandwidth bound (contract §6); 0 = not stated.
struct BoundInput
{
    double bandwidthGbPerS = 0; ///< of one device
    double devices = 1;
    double activeParams = 0;
    double bytesPerParam = 0;
    double kvBytesPerToken = 0;
    double peakTflops = 0; ///< of one device
    std::string accelerator =
        {};                 ///< an id of the table of accelerators; its figures stand for those not stated
    std::string model = {}; ///< an id of the table of models; likewise
    /// Mixture of experts: parameters of which a step reads those of the experts that its tokens are routed
    /// to.
    double expertParams = 0;
    int experts = 0;         ///< per layer; 0 = dense
    int expertsPerToken = 0; ///< per layer
    bool operator==(const BoundInput&) const = default;
};

struct MixPart;

/// Given quantiles of a length in tokens: "p50" -> 800. A distribution is drawn through them.
using LengthQuantiles = std::map<std::string, int>;

struct Lengths
{
    LengthsKind kind = LengthsKind::Fixed;
    int promptTokens = 512;      ///< Fixed
    int outputTokens = 128;      ///< Fixed; Prompts: of those whose file tells none
    std::string file;            ///< Trace, Empirical, Prompts; relative paths are relative to the matrix file
    std::string format = "auto"; ///< Trace
    /// Of the rows of the file (Trace::hash): the workload that is meant, whatever becomes of the file. Empty
    /// = the file as it is; a plan that was run has it always.
    std::string hash = {};
    LengthsDraw draw =
        LengthsDraw::Joint; ///< Trace, Empirical: whether prompt and output of a row stay together
    LengthQuantiles promptQuantiles = {}; ///< Quantiles
    LengthQuantiles outputQuantiles = {}; ///< Quantiles
    double rankCorrelation = 0;           ///< Quantiles: of prompt and output, −1..1
    std::vector<MixPart> parts = {};      ///< Mix
    bool operator==(const Lengths&) const = default;
};

struct Prefix
{
    PrefixKind kind = PrefixKind::None;
    int sharedTokens = 0;
    int groups = 1;
    double share = 0; ///< share of requests that begin with a shared prefix, 0..1
    bool operator==(const Prefix&) const = default;
};

/// One kind of request in a mix.
struct MixPart
{
    std::string name;
    double weight = 1;
    Lengths lengths;
    std::optional<Prefix> prefix; ///< instead of the workload's
    bool operator==(const MixPart&) const = default;
};

/// Conversations: a worker of a closed loop sends the turns of one after another, each after the answer to
/// the one before it; every prompt carries the turns before it.
struct Sessions
{
    SessionsKind kind = SessionsKind::None;
    int turns = 4; ///< Synthetic
    /// Synthetic: prompt tokens that each turn behind the first adds; 0 = as many as are drawn for it.
    int growthTokens = 0;
    bool operator==(const Sessions&) const = default;
};

struct Workload
{
    Lengths lengths;
    Prefix prefix;
    Sessions sessions;
    OutputPolicy output = OutputPolicy::Forced;
    CachePolicy cache = CachePolicy::AsIs;
    BeyondContext beyondContext = BeyondContext::Stop; ///< requests that are longer than the target's context
    bool streaming = true;
    /// Whether the engine is asked to tell the tokens of each chunk; costs it a little for every chunk.
    TokenEvidencePolicy tokenEvidence = TokenEvidencePolicy::Off;
    nlohmann::json sampling = {{"temperature", 0}};
    nlohmann::json extras = nlohmann::json::object();
    std::uint64_t seed = 1;
    bool operator==(const Workload&) const = default;
};

/// One limit: the given percentile of the metric must not be above `limit` (for rates: not below).
struct SloLimit
{
    std::string metric = "ttft_ms"; ///< an id of the metric catalogue
    double percentile = 99;
    double limit = 1000;
    bool operator==(const SloLimit&) const = default;
};
using Slo = std::vector<SloLimit>;

/// Which arrivals of a log are replayed, and how fast.
struct RecordedArrivals
{
    double fromS = 0; ///< since the first arrival of the log
    double toS = 0;   ///< 0 = to its end
    /// How fast the log's time runs; 0 = stretched, so that the mean rate of a point is the asked one.
    double timeScale = 0;
    bool operator==(const RecordedArrivals&) const = default;
};

/// A rate over time, relative to the load of the point: the rate goes straight from one to the next. Its clock
/// starts with the window.
struct RateFactor
{
    double atS = 0;
    double factor = 1;
    bool operator==(const RateFactor&) const = default;
};

struct Test
{
    TestKind kind = TestKind::ConcurrencySweep;
    std::string name;    ///< optional; must be unique; default: the kind, with #2, #3… when it repeats
    bool enabled = true; ///< a disabled test stays in the matrix and is left out of the plan

    // fixed_shape
    int promptTokens = 512;
    int outputTokens = 128;
    int concurrency = 1;
    // concurrency_sweep
    std::vector<int> levels = {1, 2, 4, 8, 16, 32, 64, 96};
    double thinkTimeS = 0;
    ThinkTime thinkTime = ThinkTime::Constant;
    // arrival_sweep, burst_recovery
    std::vector<double> ratesPerS = {1, 2, 4, 8, 12, 16, 20, 24};
    ArrivalProcess process = ArrivalProcess::Poisson;
    double cv = 1.0;                    ///< Gamma, Weibull: coefficient of variation of the gaps between arrivals
    RecordedArrivals recorded;          ///< Recorded
    std::vector<RateFactor> shape = {}; ///< empty = one rate throughout
    int fanOut = 1; ///< requests that arrive together at each arrival, as agents send them
    // burst_recovery
    double baseRatePerS = 4;
    double burstRatePerS = 20;
    double baselineS = 20;
    double burstS = 20;
    double recoveryS = 60;
    // cold_start
    int requests = 16;                     ///< one after another, from the first that the engine ever answers on
    std::vector<std::string> command = {}; ///< starts the target: program and arguments; empty = it is started apart
    bool keepRunning = false;              ///< what was started is not ended with the run
    double timeoutS = 900;                 ///< until the target is ready, and again until the last request ended

    bool operator==(const Test&) const = default;
};

struct Measurement
{
    double warmupS = 5;
    double durationS = 30;
    std::int64_t maxRequests = 0; ///< per point; 0 = no limit
    int repeats = 1;
    PointOrder order = PointOrder::Sequential;
    double cooldownS = 2;
    double drainS =
        30; ///< after the window: how long requests in flight may still finish before they are cancelled
    FailureDenominator failureDenominator = FailureDenominator::Attempted;
    /// Goes on beyond `durationS` until the interval of the decisive quantile is as narrow as `stableWidth`.
    bool untilStable = false;
    double stableWidth = 0.1;  ///< of the quantile: (upper − lower) / value
    double maxDurationS = 300; ///< of the window, where it goes on until stable
    int refine = 0; ///< levels that may be added to each sweep, between last passing and first failing
    double refineTo =
        0.05; ///< until the bracket is as narrow as this: (first failing − last passing) / last passing
    bool operator==(const Measurement&) const = default;
};

struct Limits
{
    double connectTimeoutS = 10;
    double firstTokenTimeoutS = 120;
    double stallTimeoutS = 60;
    double totalTimeoutS = 600;
    int maxInFlight = 4096;
    int generatorThreads = 0; ///< 0 = as many as the plan's load asks for
    bool operator==(const Limits&) const = default;
};

/// A second target that is measured by the same plan, point by point in turn, for a paired comparison.
struct PairedTarget
{
    Target target;
    CardInput card;
    bool operator==(const PairedTarget&) const = default;
};

struct Matrix
{
    int schemaVersion = 1;
    std::string name;
    Target target;
    CardInput card;
    std::optional<PairedTarget> pairedWith;
    BoundInput bound;
    Workload workload;
    Slo slo = {SloLimit{}};
    std::vector<Test> tests;
    Measurement measurement;
    Limits limits;
    bool operator==(const Matrix&) const = default;
};

/// Every request with these lengths.
inline Lengths fixedLengths(int promptTokens, int outputTokens)
{
    Lengths lengths;
    lengths.promptTokens = promptTokens;
    lengths.outputTokens = outputTokens;
    return lengths;
}

/// The pairs of a file (`kind`: Trace, Empirical).
inline Lengths fileLengths(LengthsKind kind, const std::string& file, const std::string& format = "auto")
{
    Lengths lengths;
    lengths.kind = kind;
    lengths.file = file;
    lengths.format = format;
    return lengths;
}

/// The id used in files ("concurrency_sweep", "as_is").
const char* testKindId(TestKind kind);
const char* cachePolicyId(CachePolicy policy);
const char* outputPolicyId(OutputPolicy policy);
/// The name under which each test appears in points, exports and `--only`: its own, else its kind, made
/// unique.
std::vector<std::string> testNames(const std::vector<Test>& tests);

} // namespace tailmark
