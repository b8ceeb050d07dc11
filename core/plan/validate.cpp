// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/validate.h"

#include "base/percentile_text.h"
#include "plan/arrival_rules.h"
#include "plan/json_visitors.h"
#include "plan/rate_curve.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace tailmark {

namespace {

using Severity = Finding::Severity;
using keys::exactText;
using keys::Rule;

double longestWindowS(const Measurement& m)
{
    return m.untilStable ? std::max(m.durationS, m.maxDurationS) : m.durationS;
}

/// Holds every value against the rule of its key.
class Checker
{
public:
    Checker(std::vector<Finding>& findings, std::string path = {})
        : m_findings(findings), m_path(std::move(path))
    {
    }

    template <typename T> void value(std::string_view key, const T& member, const Rule& rule)
    {
        check(keys::joined(m_path, key), member, rule);
    }
    template <typename T, typename F> void object(std::string_view key, const T& member, F describe)
    {
        Checker checker(m_findings, keys::joined(m_path, key));
        describe(checker, member);
    }
    template <typename T, typename F>
    void object(std::string_view key, const std::optional<T>& member, F describe)
    {
        if (member)
            object(key, *member, describe);
    }
    template <typename T, typename F>
    void list(std::string_view key, const std::vector<T>& members, F describe)
    {
        for (std::size_t i = 0; i < members.size(); ++i) {
            Checker checker(m_findings, keys::indexed(keys::joined(m_path, key), i));
            describe(checker, members[i]);
        }
    }
    template <typename T> void constant(std::string_view, T) {}
    void card(std::string_view key, const CardInput& card)
    {
        const std::vector<std::string>& known = RunCard::fixedKeys();
        for (const auto& [entry, text] : card.entries) {
            const std::string path = keys::joined(keys::joined(m_path, key), entry);
            if (std::find(known.begin(), known.end(), entry) == known.end())
                wrong(path, "is not an entry of the card");
            if (entry != keys::kAcceleratorCount)
                continue;
            int count = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
            if (error != std::errc() || end != text.data() + text.size() ||
                !keys::kAcceleratorCountRule.holds(count))
                wrong(path, "must be " + keys::allowedWords<int>(keys::kAcceleratorCountRule) + ", is " +
                                keys::shown(text));
        }
    }

private:
    template <typename T> void check(const std::string& path, const T& member, const Rule& rule)
    {
        if constexpr (keys::Number<T>) {
            if (!rule.holds(static_cast<double>(member)))
                wrong(path, "must be " + keys::allowedWords<T>(rule) + ", is " +
                                exactText(static_cast<double>(member)));
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (rule.accepts && !rule.accepts(member))
                wrong(path, "must be " + keys::allowedWords<T>(rule) +
                                (rule.secret ? std::string() : ", is " + keys::shown(member)));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            for (std::size_t i = 0; i < member.size(); ++i)
                check(keys::indexed(path, i), member[i], rule);
        } else if constexpr (std::is_same_v<T, LengthQuantiles>) {
            if (const auto fault = quantilesFault(member))
                wrong(fault->first.empty() ? path : keys::joined(path, fault->first), fault->second);
        } else if constexpr (std::is_same_v<T, std::vector<int>> || std::is_same_v<T, std::vector<double>>) {
            if (member.empty())
                wrong(path, "must be " + keys::allowedWords<T>(rule) + ", is empty");
            for (std::size_t i = 0; i < member.size(); ++i) {
                check(keys::indexed(path, i), member[i], rule);
                if (rule.ascending && i > 0 && member[i] <= member[i - 1])
                    wrong(keys::indexed(path, i), "must be above the value before it (" +
                                                      exactText(member[i - 1]) + "), is " +
                                                      exactText(member[i]));
            }
        }
    }
    void wrong(std::string path, std::string message)
    {
        m_findings.push_back({Severity::Error, std::move(path), std::move(message)});
    }

    std::vector<Finding>& m_findings;
    std::string m_path;
};

/// Finds the words for one key: visits everything, every kind of test included.
class HintFinder
{
public:
    HintFinder(std::string_view wanted, std::string& words, std::string path = {})
        : m_wanted(wanted), m_words(words), m_path(std::move(path))
    {
    }

    template <typename T> void value(std::string_view key, const T&, const Rule& rule)
    {
        if (keys::joined(m_path, key) == m_wanted)
            m_words = keys::allowedWords<T>(rule);
    }
    template <typename T, typename F> void object(std::string_view key, const T& member, F describe)
    {
        HintFinder finder(m_wanted, m_words, keys::joined(m_path, key));
        describe(finder, member);
    }
    template <typename T, typename F>
    void object(std::string_view key, const std::optional<T>& member, F describe)
    {
        object(key, member.value_or(T()), describe);
    }
    template <typename T, typename F>
    void list(std::string_view key, const std::vector<T>& members, F describe)
    {
        for (const T& member : members)
            object(key, member, describe);
    }
    template <typename T> void constant(std::string_view, T) {}
    void card(std::string_view key, const CardInput&)
    {
        for (const std::string& entry : RunCard::fixedKeys()) {
            if (keys::joined(keys::joined(m_path, key), entry) == m_wanted)
                m_words = entry == keys::kAcceleratorCount
                              ? keys::allowedWords<int>(keys::kAcceleratorCountRule)
                              : keys::allowedWords<std::string>(keys::kAny);
        }
    }

private:
    std::string_view m_wanted;
    std::string& m_words;
    std::string m_path;
};

std::string lowered(std::string text)
{
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

/// The rules that concern several values at once.
class CrossRules
{
public:
    explicit CrossRules(std::vector<Finding>& findings) : m_findings(findings) {}

    /// Typed experts need all three figures; those of a model of the table are there.
    void experts(const BoundInput& bound)
    {
        if (bound.experts == 0 || !bound.model.empty())
            return;
        if (bound.expertsPerToken < 1 || bound.expertsPerToken > bound.experts)
            error("bound.experts_per_token", "must be from 1 to the " + exactText(bound.experts) +
                                                 " experts, is " + exactText(bound.expertsPerToken));
        if (bound.expertParams <= 0)
            error("bound.expert_params", "must be above 0 where there are experts: all parameters of routed experts");
    }
    void target(const std::string& where, const Target& target)
    {
        headers(where, target);
        bodyKeys(where + ".extra_body", target.extraBody);
    }
    void paired(const Matrix& matrix)
    {
        target("paired_with.target", matrix.pairedWith->target);
        if (matrix.measurement.refine > 0)
            error("measurement.refine", "must be 0 with paired_with: each run would add levels that the other has not");
        for (std::size_t i = 0; i < matrix.tests.size(); ++i)
            if (matrix.tests[i].kind == TestKind::ColdStart && !matrix.tests[i].command.empty())
                error(keys::indexed("tests", i) + ".command",
                      "must be empty with paired_with: it would start one target for both");
    }
    void headers(const std::string& where, const Target& target)
    {
        static const std::set<std::string> secretNames = {"authorization", "proxy-authorization", "cookie",
                                                          "api-key", "x-api-key"};
        static const std::set<std::string> ownNames = {"content-type", "content-length", "transfer-encoding",
                                                       "expect",       "connection",     "accept-encoding"};
        for (const auto& [name, value] : target.headers) {
            const std::string path = keys::joined(where + ".headers", name);
            const bool token = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
                return c > ' ' && c < 0x7f &&
                       std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
            });
            if (!token)
                error(path, "is no header name; allowed: letters, digits and -");
            else if (secretNames.count(lowered(name)))
                error(path,
                      "holds a secret, which is never kept in a matrix; name its environment variable in " + where +
                          ".api_key_env");
            else if (ownNames.count(lowered(name)))
                error(path, "is set by the transport itself and cannot be given here");
            if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
                error(path, "must be one line of text");
        }
    }

    /// Fields of the request body that are the workload's own.
    void bodyKeys(const std::string& path, const nlohmann::json& object,
                  std::initializer_list<const char*> own = {"model", "messages", "prompt", "stream", "n",
                                                            "max_tokens", "max_completion_tokens"},
                  const std::string& others = {})
    {
        if (!object.is_object())
            return error(path, "must be an object");
        for (const char* key : own) {
            if (object.contains(key))
                error(keys::joined(path, key), "is set by the workload itself and cannot be given here" + others);
        }
    }

    /// `workload.extras`, whose known keys make up the request together with what else is given there.
    void extras(const Matrix& matrix)
    {
        const std::string path = "workload.extras";
        const nlohmann::json& given = matrix.workload.extras;
        bodyKeys(path, given,
                 {"model", "messages", "prompt", "stream", "max_tokens", "max_completion_tokens"});
        if (!given.is_object())
            return;
        const Result<RequestExtras> read = readExtras(given, path);
        if (!read)
            return error(read.error().where, read.error().message);
        const RequestExtras& extras = read.value();
        sentFields(path, given, extras);
        if (extras.hasImages && !extras.images.file.empty())
            for (const char* key : {"width_px", "height_px"})
                if (given["images"].contains(key))
                    error(path + ".images." + key, "is the file's own and cannot be given beside file");
        for (std::size_t i = 0; i < extras.variants.size(); ++i) {
            const std::string item = keys::indexed(path + ".variants", i);
            Checker weights(m_findings, item);
            keys::describeVariant(weights, extras.variants[i]);
            bodyKeys(item, extras.variants[i].fields,
                     {"messages", "prompt", "stream", "n", "images", "variants", "max_tokens",
                      "max_completion_tokens"});
        }
    }

    /// The fields of a variant as those of all requests.
    void variants(const Matrix& matrix)
    {
        const Result<RequestExtras> extras = readExtras(matrix.workload.extras);
        for (std::size_t i = 0; extras && i < extras.value().variants.size(); ++i) {
            const std::string item = keys::indexed("workload.extras.variants", i);
            const nlohmann::json& fields = extras.value().variants[i].fields;
            if (const Result<RequestExtras> read = readExtras(fields, item))
                sentFields(item, fields, read.value());
            else
                error(read.error().where, read.error().message);
        }
    }

    /// Fields that one of the two APIs has not, wherever fields can be given; those of the workload go to both targets
    /// of a pair.
    void apis(const Matrix& matrix)
    {
        const auto of = [&](const std::string& target, const Target& asked) {
            const auto check = [&](const std::string& path, const nlohmann::json& fields) {
                if (const std::optional<Error> other = otherApisField(fields, asked.api, path, target + ".api"))
                    error(other->where, other->message);
            };
            check("workload.sampling", matrix.workload.sampling);
            const nlohmann::json& extras = matrix.workload.extras;
            check("workload.extras", extras);
            if (const auto variants = extras.is_object() ? extras.find("variants") : extras.end();
                variants != extras.end() && variants->is_array())
                for (std::size_t i = 0; i < variants->size(); ++i)
                    check(keys::indexed("workload.extras.variants", i), (*variants)[i]);
            check(target + ".extra_body", asked.extraBody);
        };
        of("target", matrix.target);
        if (matrix.pairedWith)
            of("paired_with.target", matrix.pairedWith->target);
    }

    /// `extras` of one row: what a variant can have, and its text and its streaming are the file's and the
    /// workload's.
    void rowExtras(const std::string& path, const nlohmann::json& given)
    {
        bodyKeys(path, given,
                 {"messages", "prompt", "stream", "stream_options", "n", "images", "variants", "max_tokens",
                  "max_completion_tokens"},
                 "; a row can give other fields of its request, such as model, priority, cache_salt, "
                 "response_format, tools");
        if (!given.is_object())
            return;
        if (const Result<RequestExtras> read = readExtras(given, path))
            sentFields(path, given, read.value());
        else
            error(read.error().where, read.error().message);
    }

    /// Real prompts are sent as they are: nothing is written into them.
    void prompts(const Workload& workload)
    {
        if (workload.lengths.kind != LengthsKind::Prompts)
            return;
        const std::string why = "must be \"none\": the prompts of a file share what they share";
        if (workload.prefix.kind != PrefixKind::None)
            error("workload.prefix.kind", why);
        if (workload.sessions.kind != SessionsKind::None)
            error("workload.sessions.kind", why);
        if (workload.extras.is_object() && workload.extras.contains("images"))
            error("workload.extras.images", "cannot be given beside the prompts of a file");
    }

    /// What is taken from a log needs one, and conversations need workers that wait.
    /// A log is named by its file, its hash or both.
    void logs(const std::string& path, const Lengths& lengths)
    {
        const bool ofLog = lengths.kind == LengthsKind::Trace || lengths.kind == LengthsKind::Empirical;
        if (ofLog && lengths.file.empty() && lengths.hash.empty())
            error(path + ".file", "is missing; must be " + keys::logFileWords());
        if (lengths.kind == LengthsKind::Mix)
            for (std::size_t i = 0; i < lengths.parts.size(); ++i)
                logs(keys::indexed(path + ".parts", i) + ".lengths", lengths.parts[i].lengths);
    }
    void sharing(const Matrix& matrix)
    {
        const Workload& workload = matrix.workload;
        const bool recorded = workload.sessions.kind == SessionsKind::Trace;
        const bool blocks = workload.prefix.kind == PrefixKind::Trace;
        if (blocks && workload.sessions.kind == SessionsKind::Synthetic)
            error("workload.prefix.kind", "is \"trace\", whose blocks belong to the requests of the log; "
                                          "workload.sessions.kind must then be \"none\" or \"trace\"");
        for (const bool prefix : {true, false}) {
            if (!(prefix ? blocks : recorded))
                continue;
            const std::string path = prefix ? "workload.prefix.kind" : "workload.sessions.kind";
            if (workload.lengths.kind != LengthsKind::Trace)
                error(path, "is \"trace\", which needs workload.lengths.kind \"trace\": the log it is of");
            else if (workload.lengths.draw != LengthsDraw::Joint)
                error(path, "is \"trace\", which needs the rows of the log as they are: "
                            "workload.lengths.draw must be \"joint\"");
        }
        for (std::size_t i = 0; i < workload.lengths.parts.size(); ++i) {
            const std::optional<Prefix>& prefix = workload.lengths.parts[i].prefix;
            const std::string path = keys::indexed("workload.lengths.parts", i) + ".prefix";
            if (prefix && workload.sessions.kind != SessionsKind::None)
                error(path, "cannot be given beside workload.sessions, whose turns may be of several parts");
            else if (prefix && prefix->kind == PrefixKind::Trace)
                error(path + ".kind", "must be \"none\" or \"shared\": requests of a mix are not in the order of a log");
        }
        if (workload.sessions.kind == SessionsKind::None)
            return;
        for (std::size_t i = 0; i < matrix.tests.size(); ++i)
            if (const Test& test = matrix.tests[i];
                test.enabled && test.kind != TestKind::ConcurrencySweep && test.kind != TestKind::FixedShape)
                error(keys::indexed("tests", i) + ".kind",
                      "is " + keys::shown(testKindId(test.kind)) +
                          ", whose arrivals wait for no answer; workload.sessions needs concurrency_sweep");
    }

    void mix(const Workload& workload)
    {
        const std::string path = "workload.lengths";
        const Lengths& lengths = workload.lengths;
        if (lengths.kind != LengthsKind::Mix)
            return;
        if (workload.sessions.kind != SessionsKind::None)
            error("workload.sessions.kind", "must be \"none\": turns of a session are not drawn from a mix");
        if (lengths.parts.empty())
            error(path + ".parts", "is empty; there must be at least one part with name, weight and lengths");
        std::set<std::string> names;
        for (std::size_t i = 0; i < lengths.parts.size(); ++i) {
            const MixPart& part = lengths.parts[i];
            const std::string item = keys::indexed(path + ".parts", i);
            if (!names.insert(part.name).second)
                error(item + ".name", "must be unique, " + keys::shown(part.name) + " stands for two parts");
            if (part.lengths.kind == LengthsKind::Mix)
                error(item + ".lengths.kind", "must not be \"mix\": a part of a mix has lengths of its own");
            if (part.lengths.kind == LengthsKind::Prompts)
                error(item + ".lengths.kind", "must not be \"prompts\": real prompts are no part of a mix");
            if (part.prefix && part.prefix->kind == PrefixKind::Trace)
                error(item + ".prefix.kind",
                      "must not be \"trace\": blocks are shared in the order of a log, and a mix draws from it");
        }
    }

    void measurement(const Measurement& m)
    {
        if (m.untilStable && m.maxDurationS < m.durationS)
            error("measurement.max_duration_s", "must not be below duration_s (" + exactText(m.durationS) +
                                                    ") where until_stable is true, is " + exactText(m.maxDurationS));
    }

    void tests(const Matrix& matrix)
    {
        std::set<std::string> names;
        for (std::size_t i = 0; i < matrix.tests.size(); ++i) {
            const Test& test = matrix.tests[i];
            const std::string path = keys::indexed("tests", i);
            if (!test.name.empty() && !names.insert(test.name).second)
                error(path + ".name", "must be unique, " + keys::shown(test.name) + " stands for two tests");
            switch (test.kind) {
            case TestKind::FixedShape:
                inFlight(path + ".concurrency", test.concurrency, matrix.limits);
                break;
            case TestKind::ConcurrencySweep:
                for (std::size_t j = 0; j < test.levels.size(); ++j)
                    inFlight(keys::indexed(path + ".levels", j), test.levels[j], matrix.limits);
                break;
            case TestKind::ArrivalSweep: {
                const Measurement& m = matrix.measurement;
                const double first = test.shape.empty() ? 1 : test.shape.front().factor;
                const double perRate = m.warmupS * first + longestWindowS(m) * meanFactor(test.shape, longestWindowS(m));
                for (std::size_t j = 0; j < test.ratesPerS.size(); ++j)
                    requests(keys::indexed(path + ".rates_per_s", j), test.ratesPerS[j] * perRate, m);
                break;
            }
            case TestKind::BurstRecovery:
                requests(path + ".burst_rate_per_s",
                         test.baseRatePerS * (matrix.measurement.warmupS + test.baselineS + test.recoveryS) +
                             test.burstRatePerS * test.burstS,
                         matrix.measurement);
                if (test.burstRatePerS <= test.baseRatePerS)
                    error(path + ".burst_rate_per_s", "must be above base_rate_per_s (" +
                                                          exactText(test.baseRatePerS) + "), is " +
                                                          exactText(test.burstRatePerS));
                break;
            case TestKind::ColdStart:
                break;
            }
        }
    }

private:
    /// The fields of a request whose values are known; `extras` is `given` read.
    void sentFields(const std::string& path, const nlohmann::json& given, const RequestExtras& extras)
    {
        Checker checker(m_findings, path);
        keys::describeExtras(checker, extras);
        if (given.contains("response_format"))
            responseFormat(path + ".response_format", extras.responseFormat);
        if (given.contains("tools"))
            tools(path + ".tools", given["tools"]);
    }
    void responseFormat(const std::string& path, const nlohmann::json& format)
    {
        const auto type = format.find("type");
        if (type == format.end() || !type->is_string())
            return error(path + ".type", "must be text, like \"json_schema\" or \"json_object\"");
        if (*type != "json_schema")
            return;
        const auto schema = format.find("json_schema");
        if (schema == format.end() || !schema->is_object() || !schema->contains("schema") ||
            !(*schema)["schema"].is_object())
            error(path + ".json_schema.schema", "must be an object, the JSON schema of the answers");
    }
    void tools(const std::string& path, const nlohmann::json& list)
    {
        if (!list.is_array() || list.empty())
            return error(path, "must be a list of tools, is " + keys::shown(list));
        for (std::size_t i = 0; i < list.size(); ++i) {
            const bool named = list[i].is_object() && list[i].contains("function") &&
                               list[i]["function"].is_object() && list[i]["function"].contains("name") &&
                               list[i]["function"]["name"].is_string();
            if (!named)
                error(keys::indexed(path, i) + ".function.name", "must be text, the name of the function");
        }
    }
    void inFlight(const std::string& path, int concurrency, const Limits& limits)
    {
        if (concurrency > limits.maxInFlight)
            error(path, "must not be above limits.max_in_flight (" + exactText(limits.maxInFlight) +
                            "), is " + exactText(concurrency));
    }
    void requests(const std::string& path, double expected, const Measurement& measurement)
    {
        if (measurement.maxRequests == 0 && std::isfinite(expected) && expected > kMaxRequestsPerPoint)
            error(path, "makes " + exactText(std::floor(expected)) + " requests in one point; at most " +
                            exactText(kMaxRequestsPerPoint));
    }
    void error(std::string path, std::string message)
    {
        m_findings.push_back({Severity::Error, std::move(path), std::move(message)});
    }

    std::vector<Finding>& m_findings;
};

/// "; below 12.3/s it has no interval": the rates that cannot bound the percentile at all.
std::string withoutInterval(double percentile, const std::vector<double>& rates, double seconds)
{
    const double least = samplesForInterval(percentile);
    const auto none = std::count_if(rates.begin(), rates.end(), [&](double rate) { return rate * seconds < least; });
    return none == 0 ? std::string()
                     : "; " + std::to_string(none) + (none == 1 ? " has" : " have") + " no interval, which needs " +
                           exactText(least) + " requests";
}

void remarkOnSamples(const Matrix& matrix, std::vector<Finding>& findings)
{
    double percentile = 0;
    for (const SloLimit& limit : matrix.slo)
        percentile = std::max(percentile, limit.percentile);
    if (percentile <= 0 || percentile >= 100)
        return;
    const double needed = samplesForPercentile(percentile);
    const std::string need = percentileText(percentile) + " needs about " + exactText(needed) + " requests; ";
    const double cap = static_cast<double>(matrix.measurement.maxRequests);
    if (cap > 0 && cap < needed) {
        findings.push_back(
            {Severity::Remark, "measurement.max_requests", need + "this stops at " + exactText(cap)});
        return;
    }
    for (std::size_t i = 0; i < matrix.tests.size(); ++i) {
        const Test& test = matrix.tests[i];
        if (!test.enabled)
            continue;
        const std::string path = keys::indexed("tests", i);
        const auto remark = [&](const std::string& key, double rate, double seconds,
                                const std::string& more) {
            findings.push_back({Severity::Remark, path + key,
                                need + "rate " + exactText(rate) + "/s × " + exactText(seconds) +
                                    " s gives " + exactText(std::round(rate * seconds)) + more});
        };
        if (test.kind == TestKind::ArrivalSweep && !test.ratesPerS.empty()) {
            const double seconds = longestWindowS(matrix.measurement);
            const auto tooFew = std::count_if(test.ratesPerS.begin(), test.ratesPerS.end(),
                                              [&](double rate) { return rate * seconds < needed; });
            if (tooFew > 0)
                remark(".rates_per_s", test.ratesPerS.front(), seconds,
                       " (" + std::to_string(tooFew) + " of " + std::to_string(test.ratesPerS.size()) +
                           " rates fall short" + withoutInterval(percentile, test.ratesPerS, seconds) + ")");
        } else if (test.kind == TestKind::BurstRecovery && test.baseRatePerS * test.baselineS < needed) {
            remark(".baseline_s", test.baseRatePerS, test.baselineS, " in the baseline");
        }
    }
}

void remarkOnDraws(const std::string& path, const Lengths& lengths, std::vector<Finding>& findings)
{
    if (lengths.draw == LengthsDraw::Independent &&
        (lengths.kind == LengthsKind::Trace || lengths.kind == LengthsKind::Empirical))
        findings.push_back({Severity::Remark, path + ".draw",
                            std::string(kIndependentDraw)});
    for (std::size_t i = 0; i < lengths.parts.size(); ++i)
        remarkOnDraws(keys::indexed(path + ".parts", i) + ".lengths", lengths.parts[i].lengths, findings);
}

/// Why a limit cannot be judged with these settings; empty where nothing speaks against it.
std::string unmeasuredText(std::string_view metric, const Workload& workload)
{
    if (workload.streaming && metric == "itl_ms" && workload.tokenEvidence == TokenEvidencePolicy::Off)
        return "needs the tokens of each chunk, which workload.token_evidence \"off\" does not ask for, so that it cannot be "
               "judged unless the engine tells them unasked";
    if ((metric == "itl_ms" || metric == "tpot_ms" || metric == "chunk_gap_ms") &&
        workload.lengths.kind == LengthsKind::Fixed && workload.lengths.outputTokens < 2)
        return "lies between two tokens, and answers have one, so that it cannot be judged";
    return {};
}

/// Whether a metric is made of the times inside a stream.
bool needsStream(std::string_view metric)
{
    return metric == "ttft_ms" || metric == "ttft_intended_ms" || metric == "tpot_ms" ||
           metric == "chunk_gap_ms" || metric == "itl_ms";
}

void remarks(const Matrix& matrix, std::vector<Finding>& findings)
{
    const auto remark = [&](std::string path, std::string message) {
        findings.push_back({Severity::Remark, std::move(path), std::move(message)});
    };
    const Workload& workload = matrix.workload;
    if (matrix.pairedWith) {
        const Target& a = matrix.target;
        const Target& b = matrix.pairedWith->target;
        for (const auto& [key, same] : {std::pair("api", a.api == b.api), std::pair("extra_body", a.extraBody == b.extraBody),
                                        std::pair("http_version", a.httpVersion == b.httpVersion)})
            if (!same)
                remark(std::string("paired_with.target.") + key,
                       std::string("is not as target.") + key + ", so that more than the engine differs");
    }
    if (workload.prefix.kind == PrefixKind::Shared) {
        if (workload.prefix.sharedTokens == 0 || workload.prefix.share == 0)
            remark("workload.prefix",
                   "shares nothing: shared_tokens and share must both be above 0 to have an effect");
        else if (workload.lengths.kind == LengthsKind::Fixed &&
                 workload.prefix.sharedTokens >= workload.lengths.promptTokens)
            remark("workload.prefix.shared_tokens",
                   "is not below the prompt's " + exactText(workload.lengths.promptTokens) +
                       " tokens, so that prompts of a group are the same throughout");
    }
    if (workload.prefix.kind == PrefixKind::Trace)
        remark("workload.prefix.kind",
               "is \"trace\": the sharing lies in the order of the log, so every point asks its rows in that order "
               "from the first one on, in texts of its own");
    if (workload.sessions.kind != SessionsKind::None)
        remark("workload.sessions",
               "every prompt carries the turns before it (in a chat as messages of user and assistant) with planned "
               "answers of the planned length, not the engine's own, so that two runs ask the same; what the engine "
               "answered is had from no cache");
    remarkOnDraws("workload.lengths", workload.lengths, findings);
    if (workload.lengths.kind == LengthsKind::Fixed && workload.sessions.kind == SessionsKind::None)
        for (std::size_t i = 0; i < matrix.tests.size(); ++i)
            if (const Test& test = matrix.tests[i]; test.enabled && test.kind == TestKind::ConcurrencySweep) {
                remark("workload.lengths.kind",
                       "is \"fixed\": with one fixed length the workers of " + keys::indexed("tests", i) +
                           " stay in step, and how they happen to start decides the curve; lengths that vary "
                           "(quantiles, trace, empirical) are better");
                break;
            }
    if (workload.cache == CachePolicy::AsIs)
        remark("workload.cache",
               "the prefix cache is taken as it is found; a cold or warm one can be stated and checked");
    if (const Result<RequestExtras> extras = readExtras(workload.extras)) {
        if (extras.value().hasImages && !extras.value().images.file.empty())
            remark("workload.extras.images.file",
                   "is the same picture in every request, which engines keep from the second on");
        if (extras.value().choices > 1)
            remark("workload.extras.n",
                   "counts the output tokens of all choices of a request together; there is no "
                   "time per output token of one");
    }
    const auto shares = [](const Prefix& prefix) {
        return prefix.kind == PrefixKind::Shared && prefix.sharedTokens > 0 && prefix.share > 0;
    };
    const std::vector<MixPart>& parts = workload.lengths.parts;
    if (workload.cache == CachePolicy::Warm && !shares(workload.prefix) &&
        std::none_of(parts.begin(), parts.end(),
                     [&](const MixPart& part) { return part.prefix && shares(*part.prefix); }))
        remark("workload.cache",
               "a warm cache holds the prefixes of workload.prefix.kind \"shared\", and there are none: there is "
               "nothing to warm");
    if (!workload.streaming)
        remark("workload.streaming",
               "without streaming there is no first token to time, only the whole response");
    if (matrix.slo.empty())
        remark("slo", "without a limit there is no operating point");
    if (matrix.measurement.refine > 0 && matrix.slo.empty())
        remark("measurement.refine", "adds no level, since without a limit no level passes or fails");
    for (std::size_t i = 0; i < matrix.slo.size(); ++i)
        if (!workload.streaming && needsStream(matrix.slo[i].metric))
            remark(keys::indexed("slo", i) + ".metric",
                   "is " + keys::shown(matrix.slo[i].metric) +
                       ", which only streams have, so that it cannot be judged; e2e_ms can");
        else if (const std::string why = unmeasuredText(matrix.slo[i].metric, workload); !why.empty())
            remark(keys::indexed("slo", i) + ".metric", "is " + keys::shown(matrix.slo[i].metric) + ", which " + why);
    for (std::size_t i = 0; i < matrix.tests.size(); ++i) {
        const Test& test = matrix.tests[i];
        const bool atTheLogsRate =
            test.process == ArrivalProcess::Recorded && test.recorded.timeScale > 0; // there is only one
        const std::size_t levels = test.kind == TestKind::ConcurrencySweep ? test.levels.size()
                                   : test.kind == TestKind::ArrivalSweep && !atTheLogsRate
                                       ? test.ratesPerS.size()
                                       : 8;
        if (test.enabled && levels < 8)
            remark(keys::indexed("tests", i) +
                       (test.kind == TestKind::ConcurrencySweep ? ".levels" : ".rates_per_s"),
                   "has " + std::to_string(levels) +
                       (levels == 1 ? " level" : " levels") + "; a curve needs about eight to show where it bends");
    }
    if (matrix.measurement.warmupS == 0)
        remark("measurement.warmup_s", "without warm-up the ramp is part of the window");
    for (Finding& found : arrivalRemarks(matrix))
        findings.push_back(std::move(found));
    remarkOnSamples(matrix, findings);
}

/// A matrix that has every key that there is beside those of other kinds of lengths.
Matrix matrixOfEveryKey(LengthsKind lengths)
{
    Matrix matrix;
    matrix.workload.lengths.kind = lengths;
    matrix.workload.sessions.kind = SessionsKind::Synthetic;
    if (lengths == LengthsKind::Mix)
        for (const LengthsKind kind :
             {LengthsKind::Fixed, LengthsKind::Trace, LengthsKind::Empirical, LengthsKind::Quantiles})
            matrix.workload.lengths.parts.emplace_back().lengths.kind = kind;
    for (const TestKind kind : {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep,
                                TestKind::BurstRecovery, TestKind::ColdStart}) {
        matrix.tests.emplace_back();
        matrix.tests.back().kind = kind;
        matrix.tests.back().process = ArrivalProcess::Recorded;
        matrix.tests.back().shape.emplace_back();
    }
    return matrix;
}

} // namespace

std::vector<Finding> valueErrors(const Matrix& matrix)
{
    std::vector<Finding> findings;
    Checker checker(findings);
    keys::describeMatrix(checker, matrix);
    CrossRules cross(findings);
    cross.target("target", matrix.target);
    if (matrix.pairedWith)
        cross.paired(matrix);
    cross.experts(matrix.bound);
    cross.bodyKeys("workload.sampling", matrix.workload.sampling);
    cross.extras(matrix);
    cross.logs("workload.lengths", matrix.workload.lengths);
    cross.sharing(matrix);
    cross.prompts(matrix.workload);
    cross.mix(matrix.workload);
    cross.measurement(matrix.measurement);
    cross.tests(matrix);
    for (Finding& error : arrivalErrors(matrix))
        findings.push_back(std::move(error));
    return findings;
}

std::vector<Finding> validate(const Matrix& matrix)
{
    std::vector<Finding> findings = valueErrors(matrix);
    if (std::none_of(matrix.tests.begin(), matrix.tests.end(), [](const Test& test) { return test.enabled; }))
        findings.push_back({Severity::Error, "tests",
                            matrix.tests.empty() ? "is empty; there must be at least one test"
                                                 : "are all disabled; at least one must be enabled"});
    // Not of valueErrors(): a plan that is stored with a run can be read whatever a request of today may have.
    CrossRules cross(findings);
    cross.variants(matrix);
    cross.apis(matrix);
    remarks(matrix, findings);
    return findings;
}

std::vector<Finding> rowExtrasErrors(const nlohmann::json& extras, const std::string& path)
{
    std::vector<Finding> findings;
    CrossRules(findings).rowExtras(path, extras);
    return findings;
}

bool hasErrors(const std::vector<Finding>& findings)
{
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::Error; });
}

std::string allowedAt(std::string_view path)
{
    std::string key; // the path without its list numbers
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '[')
            i = std::min(path.find(']', i), path.size() - 1);
        else
            key += path[i];
    }
    std::string words;
    for (const LengthsKind lengths :
         {LengthsKind::Fixed, LengthsKind::Trace, LengthsKind::Quantiles, LengthsKind::Mix}) {
        const Matrix matrix = matrixOfEveryKey(lengths);
        HintFinder finder(key, words);
        keys::describeMatrix(finder, matrix);
    }
    HintFinder extras(key, words, "workload.extras");
    const RequestExtras everyKey;
    keys::describeExtras(extras, everyKey);
    HintFinder variants(key, words, "workload.extras.variants");
    const Variant everyVariant;
    keys::describeVariant(variants, everyVariant);
    return words;
}

} // namespace tailmark
