// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "plan/prefix_group.h"
#include "workload/corpus.h"
#include "workload/prompt.h"
#include "workload/request_body.h"
#include "workload/request_table.h"

#include <cstdint>
#include <string>

namespace tailmark {

/// The request fields that make the stated state of the cache.
nlohmann::json cacheFields(const PointPlan& point, const BodyOptions& options);

/// Writes the bodies of one point's requests. A prompt is one or more texts one after another, each a pure
/// function of a number: its first pieces stand for the number itself, so that two texts differ from their
/// first block on, the others are copied from a corpus that is made once. Any thread; nothing is allocated
/// once a body has grown.
class PromptWriter
{
public:
    PromptWriter(const Matrix& matrix, const PointPlan& point, const BodyOptions& options);

    /// Answers that each request asks for.
    int choices() const { return m_body.choices(); }

    /// A request whose prompt is its own behind the shared prefix.
    void writeRequest(std::uint32_t index, LengthPair lengths, std::string& body) const;
    /// A request of a table: the blocks of its row, or its conversation so far, in a chat as messages of user and
    /// assistant in turn. (Blocks of a log are of a prompt as a whole and stay one message: where its turns part them,
    /// the log does not tell.)
    void writeRow(std::uint32_t index, const RequestTable& table, RequestTable::Place place,
                  std::string& body) const;
    /// The shared prefix of a group alone.
    void writePrefix(const PrefixGroup& group, std::string& body) const;

private:
    void begin(std::string& body, std::uint64_t number) const;
    std::size_t writeSharedPrefix(std::string& body, std::uint32_t drawnFor, std::size_t room) const;
    std::size_t writeBlocks(std::string& body, const RequestTable& table, RequestTable::Place place,
                            std::size_t room) const;
    void writeMessages(std::string& body, const RequestTable& table, RequestTable::Place place) const;
    std::uint64_t textOf(const RequestTable& table, RequestTable::Place place) const;
    std::size_t write(std::string& body, std::uint64_t number, std::size_t count, std::size_t from = 0) const;
    std::size_t piecesOf(const PrefixGroup& group) const;

    const PointPlan m_point;
    const PromptFit m_fit;
    const bool m_chat;
    Corpus m_corpus;
    RequestBody m_body;
    std::uint64_t m_salt; ///< in the words; 0 = none there
    std::uint64_t m_requestKey;
    std::uint64_t m_groupKey; ///< of the run, not of the point: groups last over points
};

} // namespace tailmark
