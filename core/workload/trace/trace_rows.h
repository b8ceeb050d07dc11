// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "workload/lengths.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace tailmark {

/// Consecutive prefix blocks first, first + 1, …; blocks are numbered in the order of their first sight, so
/// that a block that stands for the same content has the same number in every row.
struct BlockRun
{
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool operator==(const BlockRun&) const = default;
};

/// One request of an imported log. What the log does not tell is absent.
struct TraceRow
{
    Nanoseconds arrival = kAbsentTime; ///< since the first row in time order, or since the session's start
    LengthPair lengths;
    std::int64_t line = 0;                ///< where its record starts in the file, from 1
    std::int32_t cachedTokens = kNotTold; ///< of the prompt, as the log has it
    std::int32_t session = kNotTold;      ///< number of the conversation, from 0 in the order of first sight
    std::int32_t turn = kNotTold;         ///< of the session, as the log has it
    Nanoseconds thinkTime = kAbsentTime;  ///< pause of the user or tool before this request
    std::int32_t model = kNotTold;        ///< into Trace::models

    static constexpr std::int32_t kNotTold = -1;
    bool operator==(const TraceRow&) const = default;
};

/// Rows in columns; a column that no row tells takes no memory.
class TraceRows
{
public:
    std::size_t size() const { return m_prompt.size(); }
    bool empty() const { return m_prompt.empty(); }
    TraceRow operator[](std::size_t i) const;
    TraceRow front() const { return (*this)[0]; }
    TraceRow back() const { return (*this)[size() - 1]; }
    /// The chain of blocks of the prompt, from its begin; empty where not told.
    std::span<const BlockRun> blocks(std::size_t i) const;
    std::span<const std::int32_t> prompts() const { return m_prompt; }
    std::span<const std::int32_t> outputs() const { return m_output; }
    Nanoseconds arrival(std::size_t i) const { return m_arrival.at(i); }
    /// Empty where no row tells one.
    std::span<const Nanoseconds> arrivals() const { return m_arrival.values; }

    void push_back(const TraceRow& row, std::span<const BlockRun> blocks = {});
    /// Before the first row: about how many will come, so that the columns need not move while they grow.
    void expect(std::size_t rows);
    void setArrival(std::size_t i, Nanoseconds arrival) { m_arrival.values[i] = arrival; }
    /// Arrivals from the earliest on.
    void startAtZero();
    /// Keeps the first of every two rows.
    void thin();
    /// In the order of time, ties in the order they had.
    void sortByArrival();
    std::size_t bytes() const;

    class Iterator
    {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = TraceRow;
        using difference_type = std::ptrdiff_t;
        using pointer = const TraceRow*;
        using reference = TraceRow;

        Iterator(const TraceRows* rows, std::size_t i) : m_rows(rows), m_i(i) {}
        TraceRow operator*() const { return (*m_rows)[m_i]; }
        Iterator& operator++()
        {
            ++m_i;
            return *this;
        }
        bool operator==(const Iterator& other) const { return m_i == other.m_i; }

    private:
        const TraceRows* m_rows;
        std::size_t m_i;
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

private:
    /// Grows by an eighth, not to the double, which for some moments would take three times what is needed.
    template <typename T> static void appendTo(std::vector<T>& values, T value)
    {
        if (values.size() == values.capacity())
            values.reserve(values.size() + values.size() / 8 + 64);
        values.push_back(value);
    }
    /// A column that stays empty until its first value that is not absent.
    template <typename T> struct Column
    {
        T absent{};
        std::vector<T> values = {};
        std::size_t expected = 0;

        T at(std::size_t i) const { return values.empty() ? absent : values[i]; }
        void append(std::size_t i, T value)
        {
            if (values.empty()) {
                if (value == absent)
                    return;
                values.reserve(expected);
                values.resize(i, absent);
            }
            appendTo(values, value);
        }
    };
    template <typename Select> void keep(std::size_t count, Select&& source);

    std::vector<std::int32_t> m_prompt, m_output;
    Column<Nanoseconds> m_arrival{kAbsentTime}, m_think{kAbsentTime};
    Column<std::uint32_t> m_line{0};
    Column<std::int32_t> m_cached{TraceRow::kNotTold}, m_session{TraceRow::kNotTold},
        m_turn{TraceRow::kNotTold}, m_model{TraceRow::kNotTold};
    std::vector<BlockRun> m_runs;           ///< of all rows, one after another
    Column<std::uint32_t> m_runsEnd{0}; ///< per row: where its runs end
};

} // namespace tailmark
