// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_event.h"

#include "base/percentile_text.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

std::optional<double> numberIn(const nlohmann::json& json, const char* key)
{
    const nlohmann::json& value = json.at(key);
    return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

/// {"p50": 12.5, …}
Json quantilesToJson(const std::map<double, double>& quantiles)
{
    Json json = Json::object();
    for (const auto& [percent, value] : quantiles)
        json[percentileText(percent)] = value;
    return json;
}

std::map<double, double> quantilesIn(const nlohmann::json& json)
{
    std::map<double, double> quantiles;
    for (const auto& [name, value] : json.items()) {
        double percent = 0;
        const char* const end = name.data() + name.size();
        if (!name.starts_with('p') || std::from_chars(name.data() + 1, end, percent).ptr != end)
            throw nlohmann::json::other_error::create(501, "no percentile: " + name, nullptr);
        quantiles[percent] = value.get<double>();
    }
    return quantiles;
}

template <typename Enum>
Enum fromId(const std::string& id, const char* (*idOf)(Enum), std::initializer_list<Enum> all)
{
    for (const Enum value : all)
        if (id == idOf(value))
            return value;
    throw nlohmann::json::other_error::create(501, "unknown value " + id, nullptr);
}

TestKind kindFromId(const std::string& id)
{
    return fromId(
        id, &testKindId,
        {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep, TestKind::BurstRecovery,
         TestKind::ColdStart});
}

LoadAxis axisFromId(const std::string& id)
{
    return fromId(id, &loadAxisId, {LoadAxis::Concurrency, LoadAxis::RatePerS});
}

struct Writer
{
    Json operator()(const RunStarted& e) const
    {
        return {{"event", "run_started"}, {"run", e.run.value}, {"name", e.name},
                {"database", e.database}, {"points", e.points}, {"estimated_s", e.estimatedS},
                {"target", e.target},     {"engine", e.engine}, {"version", e.version},
                {"model", e.model}};
    }
    Json operator()(const Preparation& e) const
    {
        return {{"event", "preparation"}, {"what", e.what}, {"done", e.done}, {"total", e.total}};
    }
    Json operator()(const PointStarted& e) const
    {
        return {{"event", "point_started"},
                {"point", e.point.value},
                {"test", e.test},
                {"kind", testKindId(e.kind)},
                {"load", {{"axis", loadAxisId(e.load.axis)}, {"value", e.load.value}}},
                {"repeat", e.repeat},
                {"warmup_s", e.warmupS},
                {"duration_s", e.durationS}};
    }
    Json operator()(const Progress& e) const
    {
        return {{"event", "progress"},
                {"point", e.point.value},
                {"elapsed_ns", e.load.elapsed.count()},
                {"intended", e.load.intended},
                {"sent", e.load.sent},
                {"accepted", e.load.accepted},
                {"completed", e.load.completed},
                {"failed", e.load.failed},
                {"output_tokens", e.load.outputTokens},
                {"in_flight", e.load.inFlight},
                {"waiting", e.load.waiting},
                {"remaining_s", e.remainingS},
                {"send_lag_p99_ms", e.sendLagP99Ms},
                {"cpu_cores", e.cpuCores},
                {"output_tokens_per_s", toJson(e.outputTokensPerS)},
                {"requests_per_s", toJson(e.requestsPerS)},
                {"headline_ms", quantilesToJson(e.headlineMs)},
                {"server_running", toJson(e.serverRunning)},
                {"server_waiting", toJson(e.serverWaiting)},
                {"server_kv_use", toJson(e.serverKvUse)}};
    }
    Json operator()(const PlanExtended& e) const
    {
        return {{"event", "plan_extended"}, {"points", e.points}};
    }
    Json operator()(const PointFinished& e) const
    {
        return {{"event", "point_finished"},
                {"point", e.point.value},
                {"valid", e.valid},
                {"verdict", e.verdict}};
    }
    Json operator()(const OperatingPointFound& e) const
    {
        return {{"event", "operating_point"},
                {"test", e.test},
                {"state", e.state},
                {"load", toJson(e.load)},
                {"output_tokens_per_s", toJson(e.outputTokensPerS)},
                {"sentence", e.sentence}};
    }
    Json operator()(const RunWarning& e) const { return {{"event", "warning"}, {"text", e.text}}; }
    Json operator()(const RunFinished& e) const
    {
        return {{"event", "run_finished"},       {"run", e.run.value}, {"state", e.state},
                {"valid_points", e.validPoints}, {"points", e.points}, {"error", e.error}};
    }
};

RunEvent read(const nlohmann::json& json)
{
    const std::string name = json.at("event");
    if (name == "run_started") {
        RunStarted e;
        e.run.value = json.at("run");
        e.name = json.at("name");
        e.database = json.at("database");
        e.points = json.at("points");
        e.estimatedS = json.at("estimated_s");
        e.target = json.at("target");
        e.engine = json.at("engine");
        e.version = json.at("version");
        e.model = json.at("model");
        return e;
    }
    if (name == "preparation") {
        Preparation e;
        e.what = json.at("what");
        e.done = json.at("done");
        e.total = json.at("total");
        return e;
    }
    if (name == "point_started") {
        PointStarted e;
        e.point.value = json.at("point");
        e.test = json.at("test");
        e.kind = kindFromId(json.at("kind"));
        e.load = {axisFromId(json.at("load").at("axis")), json.at("load").at("value")};
        e.repeat = json.at("repeat");
        e.warmupS = json.at("warmup_s");
        e.durationS = json.at("duration_s");
        return e;
    }
    if (name == "plan_extended")
        return PlanExtended{json.at("points")};
    if (name == "progress") {
        Progress e;
        e.point.value = json.at("point");
        e.load.elapsed = Nanoseconds(json.at("elapsed_ns").get<std::int64_t>());
        e.load.intended = json.at("intended");
        e.load.sent = json.at("sent");
        e.load.accepted = json.at("accepted");
        e.load.completed = json.at("completed");
        e.load.failed = json.at("failed");
        e.load.outputTokens = json.at("output_tokens");
        e.load.inFlight = json.at("in_flight");
        e.load.waiting = json.at("waiting");
        e.remainingS = json.at("remaining_s");
        e.sendLagP99Ms = json.at("send_lag_p99_ms");
        e.cpuCores = json.at("cpu_cores");
        e.outputTokensPerS = numberIn(json, "output_tokens_per_s");
        e.requestsPerS = numberIn(json, "requests_per_s");
        e.headlineMs = quantilesIn(json.at("headline_ms"));
        e.serverRunning = numberIn(json, "server_running");
        e.serverWaiting = numberIn(json, "server_waiting");
        e.serverKvUse = numberIn(json, "server_kv_use");
        return e;
    }
    if (name == "point_finished") {
        PointFinished e;
        e.point.value = json.at("point");
        e.valid = json.at("valid");
        e.verdict = json.at("verdict");
        return e;
    }
    if (name == "operating_point") {
        OperatingPointFound e;
        e.test = json.at("test");
        e.state = json.at("state");
        e.load = numberIn(json, "load");
        e.outputTokensPerS = numberIn(json, "output_tokens_per_s");
        e.sentence = json.at("sentence");
        return e;
    }
    if (name == "warning")
        return RunWarning{json.at("text")};
    if (name == "run_finished") {
        RunFinished e;
        e.run.value = json.at("run");
        e.state = json.at("state");
        e.validPoints = json.at("valid_points");
        e.points = json.at("points");
        e.error = json.at("error");
        return e;
    }
    throw nlohmann::json::other_error::create(501, "unknown event " + name, nullptr);
}

} // namespace

nlohmann::ordered_json eventToJson(const RunEvent& event)
{
    return std::visit(Writer{}, event);
}

const char* sideId(Side side)
{
    return side == Side::A ? "a" : "b";
}

std::string eventToLine(const RunEvent& event, std::optional<Side> side)
{
    Json json = eventToJson(event);
    if (side)
        json["side"] = sideId(*side);
    // What a server told may not be UTF-8; the line must be.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunEvent> eventFromLine(const std::string& line)
{
    try {
        return read(nlohmann::json::parse(line));
    } catch (const nlohmann::json::exception& e) {
        return Error{ErrorCode::BadInput, "event", e.what()};
    }
}

std::optional<Side> sideOfLine(const std::string& line)
{
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    const nlohmann::json side = json.is_object() ? json.value("side", nlohmann::json()) : nlohmann::json();
    for (const Side one : {Side::A, Side::B})
        if (side == sideId(one))
            return one;
    return std::nullopt;
}

} // namespace tailmark
