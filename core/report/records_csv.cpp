// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/slo.h"
#include "analysis/summarize.h"
#include "report/csv.h"
#include "report/report.h"

#include <algorithm>
#include <array>

namespace tailmark {

namespace {

constexpr std::array kColumns = {"request",
                                 "test",
                                 "load",
                                 "repeat",
                                 "phase",
                                 "in_window",
                                 "outcome",
                                 "http_status",
                                 "finish_reason",
                                 "intended_ms",
                                 "sent_ms",
                                 "headers_ms",
                                 "first_event_ms",
                                 "first_token_ms",
                                 "first_answer_token_ms",
                                 "last_token_ms",
                                 "closed_ms",
                                 "connect_ms",
                                 "new_connection",
                                 "send_lag_ms",
                                 "ttft_ms",
                                 "ttft_intended_ms",
                                 "tpot_ms",
                                 "e2e_ms",
                                 "e2e_intended_ms",
                                 "prompt_tokens_planned",
                                 "prompt_tokens",
                                 "output_tokens_cap",
                                 "output_tokens",
                                 "cached_tokens",
                                 "token_events",
                                 "meets_slo",
                                 "error",
                                 "prompt_tokens_client",
                                 "cached_tokens_planned",
                                 "session",
                                 "turn"};

class RecordsWriter
{
public:
    RecordsWriter(const RunResults& results, std::ostream& out) : m_results(results), m_csv(out)
    {
        for (const char* column : kColumns)
            m_csv.text(column);
        m_csv.endRow();
    }

    void write(const PointSummary& point, const RecordBatch& batch)
    {
        for (const RequestRecord& r : batch.records)
            write(point, batch, r);
    }

private:
    void write(const PointSummary& point, const RecordBatch& batch, const RequestRecord& r)
    {
        m_csv.integer(r.request)
            .text(point.point.test)
            .number(point.point.load.value)
            .integer(point.point.repeat);
        m_csv.text(phaseOf(point.point, r)).flag(inWindow(r, point.window)).text(outcomeId(r.outcome));
        if (r.httpStatus == 0)
            m_csv.empty();
        else
            m_csv.integer(r.httpStatus);
        m_csv.text(finishReasonId(r.finishReason));
        for (const Nanoseconds t : {r.intended, r.sent, r.headers, r.firstEvent, r.firstToken,
                                    r.firstAnswerToken, r.lastToken, r.closed})
            m_csv.milliseconds(msBetween(Nanoseconds(0), t));
        if (isPresent(r.sent))
            m_csv.milliseconds(toMs(r.connect)).flag(r.newConnection);
        else
            m_csv.empty().empty();
        for (const Metric metric : {Metric::SendLag, Metric::Ttft, Metric::TtftIntended, Metric::Tpot,
                                    Metric::E2e, Metric::E2eIntended})
            m_csv.milliseconds(requestValue(metric, r));
        for (const std::int32_t count :
             {r.promptTokensPlanned, r.promptTokens, r.outputTokensCap, r.outputTokens, r.cachedTokens})
            writeCount(count);
        m_csv.integer(r.tokenEvents);
        writeJudgement(judge(r, batch.chunksOf(r), m_results.slo));
        m_csv.text(batch.errorOf(r));
        for (const std::int32_t count : {r.promptTokensClient, r.cachedTokensPlanned, r.session, r.turn})
            writeCount(count);
        m_csv.endRow();
    }

    static std::string_view phaseOf(const PointPlan& point, const RequestRecord& r)
    {
        return r.phase < point.phases.size() ? std::string_view(point.phases[r.phase].name)
                                             : std::string_view();
    }

    void writeCount(std::int32_t count)
    {
        if (count == kUnknownCount)
            m_csv.empty();
        else
            m_csv.integer(count);
    }

    /// Empty where there is no limit, and for a request that was cut off before it had broken one.
    void writeJudgement(Judgement judgement)
    {
        if (m_results.slo.empty() || judgement == Judgement::Undecided)
            m_csv.empty();
        else
            m_csv.flag(judgement == Judgement::Good);
    }

    const RunResults& m_results;
    CsvWriter m_csv;
};

/// Only limits on single gaps look at chunks.
bool needsChunks(const Slo& slo)
{
    return std::any_of(slo.begin(), slo.end(), [](const SloLimit& limit) {
        const auto metric = metricOf(limit);
        return metric && metricInfo(*metric).scope == MetricScope::Chunk;
    });
}

} // namespace

Status writeRecordsCsv(const RunResults& results, const Store& store, std::ostream& out)
{
    RecordsWriter writer(results, out);
    for (const PointSummary& point : results.points) {
        const Result<RecordBatch> batch =
            store.loadRecords(results.run.info.id, point.point.index, needsChunks(results.slo));
        if (!batch)
            return batch.error();
        writer.write(point, batch.value());
        if (!out)
            return Error{ErrorCode::Io, "", "the records could not be written in full"};
    }
    return success();
}

} // namespace tailmark
