// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/faults.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/rng.h"

namespace tailmark::sim {

namespace {

struct FaultRule
{
    FaultKind kind;
    std::string_view id;
    std::string_view param; ///< what the parameter is, empty where there is none
    double low;
    double high;
    bool whole;
};

constexpr FaultRule kRules[] = {
    {FaultKind::Status, "status", "CODE", 400, 599, true},
    {FaultKind::Stall, "stall", "SECONDS", 0, 86400, false},
    {FaultKind::Hang, "hang", "", 0, 0, false},
    {FaultKind::Cut, "cut", "CHUNKS", 0, 1e6, true},
    {FaultKind::Error, "error", "CHUNKS", 0, 1e6, true},
    {FaultKind::Garbage, "garbage", "", 0, 0, false},
    {FaultKind::SlowStart, "slow-start", "SECONDS", 0, 86400, false},
    {FaultKind::NoUsage, "no-usage", "", 0, 0, false},
};

std::string number(double value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::optional<double> readNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

Error badFault(std::string_view text, const std::string& message)
{
    return {ErrorCode::BadInput, "--fault " + std::string(text), message};
}

} // namespace

std::string_view faultId(FaultKind kind)
{
    for (const FaultRule& rule : kRules)
        if (rule.kind == kind)
            return rule.id;
    return "";
}

std::string faultText(const Fault& fault)
{
    std::string text(faultId(fault.kind));
    for (const FaultRule& rule : kRules)
        if (rule.kind == fault.kind && !rule.param.empty())
            text += ":" + number(fault.param);
    return text + "@" + number(fault.share);
}

Result<Fault> parseFault(std::string_view text)
{
    Fault fault;
    std::string_view rest = text;
    if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
        const auto share = readNumber(rest.substr(at + 1));
        if (!share || *share < 0 || *share > 1)
            return badFault(text, "the share after @ must be a number from 0 to 1");
        fault.share = *share;
        rest = rest.substr(0, at);
    }
    const auto colon = rest.find(':');
    const std::string_view id = rest.substr(0, colon);
    std::string known;
    for (const FaultRule& rule : kRules) {
        known += (known.empty() ? "" : ", ") + std::string(rule.id);
        if (rule.id != id)
            continue;
        fault.kind = rule.kind;
        if (rule.param.empty() && colon != std::string_view::npos)
            return badFault(text, std::string(rule.id) + " takes no parameter");
        if (rule.param.empty())
            return fault;
        const auto param =
            colon == std::string_view::npos ? std::nullopt : readNumber(rest.substr(colon + 1));
        if (!param || *param < rule.low || *param > rule.high || (rule.whole && *param != std::floor(*param)))
            return badFault(text, "needs " + std::string(rule.id) + ":" + std::string(rule.param) +
                                      (rule.whole ? ", a whole number from " : ", a number from ") +
                                      number(rule.low) + " to " + number(rule.high));
        fault.param = *param;
        if (fault.kind == FaultKind::SlowStart && fault.share != 1)
            return badFault(text, "slow-start concerns the whole server and takes no share");
        return fault;
    }
    return badFault(text, "unknown fault; there are " + known);
}

FaultPicker::FaultPicker(std::vector<Fault> faults, std::uint64_t seed)
    : m_faults(std::move(faults)), m_seed(seed)
{
}

Status FaultPicker::check(const std::vector<Fault>& faults)
{
    double sum = 0;
    for (const Fault& fault : faults)
        if (fault.kind != FaultKind::SlowStart)
            sum += fault.share;
    if (sum > 1 + 1e-9)
        return Error{ErrorCode::BadInput, "--fault",
                     "the shares come to " + number(sum) + ", at most 1 is possible"};
    return success();
}

Fault FaultPicker::pick(std::uint64_t ordinal) const
{
    double draw = static_cast<double>(deriveSeed(m_seed, ordinal) >> 11) * 0x1p-53;
    for (const Fault& fault : m_faults) {
        if (fault.kind == FaultKind::SlowStart)
            continue;
        if (draw < fault.share)
            return fault;
        draw -= fault.share;
    }
    return {};
}

} // namespace tailmark::sim
