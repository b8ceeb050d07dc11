// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"
#include "target/engine_profiles.h"

#include <QDir>
#include <QFile>
#include <QString>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark::test {

/// One response as an engine sends it, and what it means: a pair of files in tests/data/engines/<engine>/.
struct EngineRecording
{
    std::string engine;
    std::string name;
    nlohmann::json known;
    std::string body;

    bool streaming() const { return known["streaming"].get<bool>(); }
    int status() const { return known["http"]["status"].get<int>(); }
    std::string contentType() const { return known["http"]["content_type"].get<std::string>(); }
    bool endsProperly() const { return known["http"]["transport_end"] == "clean"; }
    const nlohmann::json& expected() const { return known["expected"]; }
    EmptyDelta emptyDelta() const { return engineProfile(engine).request.emptyDelta; }

    /// For each event with JSON data how many bytes have come when it is complete: up to the end of its blank
    /// line, of which a CR is the end already.
    std::vector<std::size_t> eventEnds() const
    {
        std::vector<std::size_t> ends;
        bool hasData = false;
        for (std::size_t at = 0, lf = 0; (lf = body.find('\n', at)) != std::string::npos; at = lf + 1) {
            const bool cr = lf > at && body[lf - 1] == '\r';
            const std::string_view line(body.data() + at, lf - at - (cr ? 1 : 0));
            if (line.empty() && hasData)
                ends.push_back(cr ? lf : lf + 1);
            hasData = !line.empty() && (line.starts_with("data: {") || line.starts_with("data:{"));
        }
        return ends;
    }
};

inline std::vector<EngineRecording> engineRecordings(const QString& folder)
{
    std::vector<EngineRecording> all;
    for (const QString& engine : QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        for (const QString& name :
             QDir(folder + '/' + engine).entryList({"*.txt"}, QDir::Files, QDir::Name)) {
            const QString base = folder + '/' + engine + '/' + name.chopped(4);
            QFile txt(base + ".txt"), json(base + ".json");
            if (!txt.open(QFile::ReadOnly) || !json.open(QFile::ReadOnly))
                continue;
            all.push_back({engine.toStdString(), name.chopped(4).toStdString(),
                           nlohmann::json::parse(json.readAll().toStdString()), txt.readAll().toStdString()});
        }
    return all;
}

inline int countOrUnknown(const nlohmann::json& value)
{
    return value.is_null() ? kUnknownCount : value.get<int>();
}

/// The first thing in which a record is not what the recording means; empty when it is. Times are not looked
/// at.
inline std::string differenceFrom(const EngineRecording& recording, const RequestRecord& record,
                                  const std::string& error)
{
    const nlohmann::json& expected = recording.expected();
    std::string text;
    const auto same = [&](const char* what, const std::string& is, const std::string& wanted) {
        if (is != wanted && text.empty())
            text = std::string(what) + " is \"" + is + "\", must be \"" + wanted + "\"";
    };
    const auto sameCount = [&](const char* what, int is, int wanted) {
        same(what, std::to_string(is), std::to_string(wanted));
    };
    same("outcome", std::string(outcomeId(record.outcome)), expected["outcome"].get<std::string>());
    same("finish_reason", std::string(finishReasonId(record.finishReason)),
         expected["finish_reason"].get<std::string>());
    sameCount("http_status", record.httpStatus, recording.status());
    sameCount("prompt_tokens", record.promptTokens, countOrUnknown(expected["prompt_tokens"]));
    sameCount("output_tokens", record.outputTokens, countOrUnknown(expected["output_tokens"]));
    sameCount("cached_tokens", record.cachedTokens, countOrUnknown(expected["cached_tokens"]));
    sameCount("token_events", static_cast<int>(record.tokenEvents),
              static_cast<int>(expected["event_tokens"].size()));
    sameCount("done_seen", record.doneSeen, expected["done_seen"].get<bool>());
    sameCount("malformed_events", static_cast<int>(record.malformedEvents), 0);
    const std::string wanted = expected["error"].get<std::string>();
    if (text.empty() && (wanted.empty() ? !error.empty() : error.find(wanted) == std::string::npos))
        text = "error is \"" + error + "\", must have \"" + wanted + "\"";
    return text;
}

} // namespace tailmark::test
