// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/truth_log.h"

#include <cerrno>
#include <cstring>

namespace tailmark::sim {

namespace {

constexpr char kHeader[] =
    "request_id,received_ns,first_token_written_ns,last_token_written_ns,closed_ns,http_status,"
    "prompt_tokens,output_tokens,cached_tokens,token_events,preemptions,queue_ms,finish_reason,"
    "fault\n";

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out += '"';
}

std::string timeField(Nanoseconds time)
{
    return isPresent(time) ? std::to_string(time.count()) : std::string();
}

} // namespace

Result<TruthLog> TruthLog::create(const std::string& path)
{
    TruthLog log;
    log.m_file.reset(std::fopen(path.c_str(), "we"));
    if (!log.m_file || std::fputs(kHeader, log.m_file.get()) < 0 || std::fflush(log.m_file.get()) != 0)
        return Error{ErrorCode::BadInput, "--truth " + path,
                     std::string("cannot be written: ") + std::strerror(errno)};
    return log;
}

void TruthLog::write(const TruthRow& row)
{
    if (!m_file)
        return;
    char queue[32] = "";
    if (isPresent(row.queued))
        std::snprintf(queue, sizeof queue, "%.6f", toMs(row.queued));
    std::fprintf(m_file.get(), "%s,%s,%s,%s,%s,%d,%d,%d,%d,%d,%d,%s,%s,%.*s\n",
                 csvField(row.requestId).c_str(), timeField(row.received).c_str(),
                 timeField(row.firstTokenWritten).c_str(), timeField(row.lastTokenWritten).c_str(),
                 timeField(row.closed).c_str(), row.httpStatus, row.promptTokens, row.outputTokens,
                 row.cachedTokens, row.tokenEvents, row.preemptions, queue, row.finishReason.c_str(),
                 static_cast<int>(faultId(row.fault).size()), faultId(row.fault).data());
    std::fflush(m_file.get());
}

} // namespace tailmark::sim
