// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_builder.h"

#include "base/rng.h"

#include <algorithm>
#include <cstdio>

namespace tailmark {

namespace {

constexpr std::size_t kMaxSessions = 1'000'000;
constexpr std::size_t kMaxModels = 1'000;

std::string grouped(std::uint64_t n)
{
    std::string text = std::to_string(n);
    for (std::size_t i = text.size(); i > 3; i -= 3)
        text.insert(i - 3, ",");
    return text;
}

std::string rowsText(std::uint64_t n)
{
    return grouped(n) + (n == 1 ? " row" : " rows");
}

std::string warningText(std::string_view code, std::uint64_t n, std::int64_t line)
{
    const std::string first = ", the first at line " + std::to_string(line);
    if (code == "unsorted")
        return "rows are out of the order of time" + first + "; sorted";
    if (code == "unsorted_sample")
        return "rows are out of the order of time" + first +
               ", and there are too many to sort: no figures of arrivals; sort the file by time";
    if (code == "hash_ids_length_mismatch")
        return rowsText(n) + " whose block ids do not fit the prompt's length" + first +
               "; hits are counted up to the prompt's length";
    if (code == "total_mismatch")
        return rowsText(n) + " whose total tokens are not the sum of the parts" + first +
               "; the parts are taken";
    if (code == "extra_turns_ignored")
        return grouped(n) + (n == 1 ? " conversation has" : " conversations have") +
               " more than one round; the first is taken";
    if (code == "time_unit_guessed")
        return "the unit of the timestamps is not told and was guessed; name it to be sure";
    if (code == "cached_above_prompt")
        return rowsText(n) + " with more cached tokens than the prompt has" + first + "; taken as all of it";
    if (code == "blocks_not_followed")
        return "there are more different blocks than can be followed; no figures of prefix sharing";
    if (code == "sessions_not_followed")
        return "there are more sessions than can be followed; later ones are left out of their figures";
    if (code == "other_models_left_out")
        return rowsText(n) + " of other models left out";
    if (code == "output_not_told")
        return rowsText(n) + " without an output length take the one that was given";
    if (code == "lengths_from_marginals")
        return "prompt and output lengths are published apart: they are paired at random, and nothing is "
               "known of "
               "how they go together";
    if (code == "broken_quotes")
        return rowsText(n) + " whose quotes do not fit" + first +
               "; refused, and the rows near them may be parts of a text: look at them";
    if (code == "bad_block_ids")
        return rowsText(n) + " whose block ids cannot be read" + first + "; taken without";
    return std::string(code);
}

} // namespace

TraceBuilder::TraceBuilder(const TraceOptions& options, std::string format)
    : m_options(options), m_measures(std::make_unique<TraceMeasures>()), m_kept(options.keepRows),
      m_measuring(std::make_unique<BackgroundMeasures>(*m_measures, m_kept))
{
    m_trace.format = std::move(format);
}

bool TraceBuilder::tellProgress(double fractionRead)
{
    if (m_options.progress)
        m_options.progress(fractionRead, m_trace.rowsAccepted + m_trace.rowsRejected);
    return !m_options.stop.stop_requested();
}

bool TraceBuilder::blocksFit(std::int32_t promptTokens, std::uint64_t blocks) const
{
    const auto prompt = static_cast<std::uint64_t>(promptTokens);
    const auto size = static_cast<std::uint64_t>(m_trace.blockSize);
    const bool whole = blocks == prompt / size;
    return whole ? m_wholeBlocksOnly || prompt % size == 0 : blocks == (prompt + size - 1) / size;
}

void TraceBuilder::accept(TraceRow row, std::span<const IdRun> ids, std::uint64_t scope)
{
    if (row.cachedTokens > row.lengths.promptTokens) {
        warn("cached_above_prompt", row.line);
        row.cachedTokens = row.lengths.promptTokens;
    }
    m_runs.clear();
    if (!ids.empty() && m_trace.blockSize > 0 && m_followBlocks) {
        std::uint64_t blocks = 0;
        for (const IdRun& run : ids)
            blocks += run.count;
        if (!blocksFit(row.lengths.promptTokens, blocks))
            warn("hash_ids_length_mismatch", row.line);
        m_followBlocks = m_blocks.number(scope, ids, m_runs);
        if (!m_followBlocks) {
            warn("blocks_not_followed", row.line);
            m_runs.clear();
        }
    }
    m_allTimed = m_allTimed && isPresent(row.arrival);
    if (!m_trace.sessionClock && isPresent(row.arrival)) {
        if (isPresent(m_lastArrival) && row.arrival < m_lastArrival && m_firstDisorder == 0)
            m_firstDisorder = row.line;
        m_lastArrival = row.arrival;
    }
    ++m_trace.rowsAccepted;
    m_measuring->add(row, m_runs, m_trace.blockSize);
}

void TraceBuilder::reject(std::int64_t line, std::string_view field, std::string_view reason)
{
    ++m_trace.rowsRejected;
    ++m_trace.rejectedByReason[std::string(reason)];
    if (m_trace.rejected.size() < m_options.keepRejected)
        m_trace.rejected.push_back({line, std::string(field), std::string(reason)});
}

void TraceBuilder::warn(std::string_view code, std::int64_t line)
{
    auto count =
        std::find_if(m_warnings.begin(), m_warnings.end(), [&](const Count& c) { return c.code == code; });
    if (count == m_warnings.end())
        count = m_warnings.insert(count, {std::string(code), 0, line});
    ++count->n;
}

std::int32_t TraceBuilder::session(std::string_view name)
{
    const auto known = m_sessions.find(std::string(name));
    if (known != m_sessions.end())
        return known->second;
    if (m_sessions.size() >= kMaxSessions) {
        warn("sessions_not_followed", 0);
        return TraceRow::kNotTold;
    }
    const auto number = static_cast<std::int32_t>(m_sessions.size());
    m_sessions.emplace(name, number);
    return number;
}

std::int32_t TraceBuilder::model(std::string_view name)
{
    const auto known = m_models.find(std::string(name));
    if (known != m_models.end())
        return known->second;
    if (m_models.size() >= kMaxModels)
        return TraceRow::kNotTold;
    const auto number = static_cast<std::int32_t>(m_models.size());
    m_models.emplace(name, number);
    m_trace.models.emplace_back(name);
    return number;
}

/// Once more from the rows, after their order has changed.
void TraceBuilder::remeasure()
{
    m_measures = std::make_unique<TraceMeasures>();
    for (std::size_t i = 0; i < m_trace.rows.size(); ++i)
        m_measures->add(m_trace.rows[i], m_trace.rows.blocks(i), m_trace.blockSize);
}

void TraceBuilder::tellWarnings()
{
    for (const Count& count : m_warnings)
        m_trace.warnings.push_back({count.code, warningText(count.code, count.n, count.line)});
    if (m_trace.sampledEvery > 1)
        m_trace.warnings.push_back({"rows_sampled", "one row in " + grouped(m_trace.sampledEvery) + " of " +
                                                        grouped(m_trace.rowsAccepted) +
                                                        " is held; the figures are of all, but the log is not kept "
                                                        "under its hash, and its arrivals, prefix blocks and "
                                                        "sessions cannot be replayed: that needs a smaller file"});
    if (m_trace.stats.arrivals && m_trace.stats.arrivals->grid && !m_options.dequantise) {
        char width[32];
        std::snprintf(width, sizeof width, "%.6g", toSeconds(*m_trace.stats.arrivals->grid));
        m_trace.warnings.push_back(
            {"arrivals_on_grid", std::string("arrivals sit on a grid of about ") + width +
                                     " s: gaps, CV and bursts shorter than that are the clock's; they can be "
                                     "spread inside their tick (dequantise)"});
    }
}

Result<Trace> TraceBuilder::finish(const std::string& path)
{
    m_measuring.reset();
    m_kept.moveTo(m_trace);
    const Error stopped{ErrorCode::Cancelled, path, "stopped"};
    if (m_options.stop.stop_requested() || !tellProgress(1))
        return stopped;
    if (m_trace.rowsAccepted == 0) {
        const bool others = std::any_of(m_warnings.begin(), m_warnings.end(), [](const Count& count) {
            return count.code == "other_models_left_out";
        });
        std::string message = others ? "no_rows: has no row of the model \"" + m_options.model + "\""
                                     : "no_rows: has a header and no row";
        if (m_trace.rowsRejected > 0) {
            const RejectedRow first = m_trace.rejected.empty() ? RejectedRow() : m_trace.rejected.front();
            message = "no_rows: none of its " + grouped(m_trace.rowsRejected) + " rows can be used; line " +
                      std::to_string(first.line) + ": " + (first.field.empty() ? "" : first.field + " ") +
                      first.reason;
            if (first.field == "output" &&
                (first.reason == "missing_column" || first.reason == "empty_value"))
                message += "; an output length for all rows can be given";
        }
        return Error{ErrorCode::BadInput, path, message};
    }
    const bool sortable = m_trace.sampledEvery == 1 && m_allTimed && !m_trace.sessionClock;
    if (m_firstDisorder > 0 && m_allTimed) {
        warn(sortable ? "unsorted" : "unsorted_sample", m_firstDisorder);
        if (sortable) {
            m_trace.rows.sortByArrival();
            remeasure();
        }
    }
    if (!m_trace.sessionClock)
        m_trace.rows.startAtZero();
    m_measures->finish(m_trace);
    if (!m_followBlocks)
        m_trace.stats.prefix.reset();
    tellWarnings();
    if (m_options.dequantise)
        dequantiseArrivals(m_trace);
    if (!tellProgress(1))
        return stopped;
    return std::move(m_trace);
}

void dequantiseArrivals(Trace& trace, std::uint64_t seed)
{
    if (!trace.stats.arrivals || !trace.stats.arrivals->grid || trace.sampledEvery > 1)
        return;
    const Nanoseconds tick = *trace.stats.arrivals->grid;
    for (std::size_t i = 0; i < trace.rows.size(); ++i) {
        const double inTick = static_cast<double>(deriveSeed(seed, i) >> 11) * 0x1p-53;
        trace.rows.setArrival(i, trace.rows.arrival(i) + Nanoseconds(static_cast<std::int64_t>(
                                                             inTick * static_cast<double>(tick.count()))));
    }
    trace.rows.sortByArrival();
    trace.rows.startAtZero();
    ArrivalAccumulator arrivals;
    for (const Nanoseconds arrival : trace.rows.arrivals())
        arrivals.add(arrival);
    trace.stats.arrivals = arrivals.stats(trace.rows.arrivals());
    char width[32];
    std::snprintf(width, sizeof width, "%.6g", toSeconds(tick));
    trace.warnings.push_back({"arrivals_dequantised", std::string("arrivals sat on a grid of about ") +
                                                          width +
                                                          " s and were spread evenly inside their tick"});
}

} // namespace tailmark
