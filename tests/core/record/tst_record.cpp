// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/outcome.h"
#include "record/request_record.h"
#include "record/run_card.h"

#include <QtTest>

#include <set>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

RecordBatch batchOf(const char* error, int chunks)
{
    RecordBatch batch;
    RequestRecord failed;
    failed.outcome = Outcome::ServerError;
    batch.errors.push_back(error);
    failed.error = 0;
    RequestRecord good;
    good.outcome = Outcome::Completed;
    good.chunkCount = static_cast<std::uint32_t>(chunks);
    for (int i = 0; i < chunks; ++i)
        batch.chunks.push_back({static_cast<std::uint32_t>(chunks * 100 + i), 1, 0});
    batch.records = {failed, good};
    return batch;
}

} // namespace

class RecordTest : public QObject
{
    Q_OBJECT

private slots:
    void outcomesHaveTheContractsNames()
    {
        const char* const ids[] = {"completed",           "rejected",       "client_error",
                                   "server_error",        "connect_failed", "timeout_connect",
                                   "timeout_first_token", "timeout_stall",  "timeout_total",
                                   "truncated",           "malformed",      "no_content",
                                   "cancelled",           "not_sent"};
        QCOMPARE(std::size(ids), static_cast<std::size_t>(kOutcomeCount));
        for (int i = 0; i < kOutcomeCount; ++i) {
            QCOMPARE(outcomeId(static_cast<Outcome>(i)), std::string_view(ids[i]));
            QVERIFY(outcomeFromId(ids[i]) == static_cast<Outcome>(i));
        }
        QVERIFY(!outcomeFromId("").has_value());
        QVERIFY(!outcomeFromId("Completed").has_value());
        QVERIFY(outcomeId(Outcome::TimeoutStall) == "timeout_stall");
        QVERIFY(outcomeId(Outcome::NotSent) == "not_sent");
    }

    void finishReasonsFoldToWhatMatters()
    {
        for (const FinishReason reason :
             {FinishReason::None, FinishReason::Stop, FinishReason::Length, FinishReason::ToolCalls,
              FinishReason::ContentFilter, FinishReason::Abort, FinishReason::Other})
            QVERIFY(finishReasonFromId(finishReasonId(reason)) == reason);
        QVERIFY(finishReasonFromId("eos_token") == FinishReason::Other);
        QVERIFY(finishReasonFromId("") == FinishReason::None);
        QVERIFY(finishReasonId(FinishReason::Length) == "length");
    }

    void stampSourcesHaveNames()
    {
        std::set<std::string_view> ids;
        for (const StampSource source :
             {StampSource::Kernel, StampSource::Readiness, StampSource::Processing})
            ids.insert(stampSourceId(source));
        QCOMPARE(ids, (std::set<std::string_view>{"kernel", "readiness", "processing"}));
    }

    void aFreshRecordKnowsNothing()
    {
        const RequestRecord record;
        QVERIFY(record.outcome == Outcome::NotSent);
        for (const Nanoseconds t :
             {record.intended, record.sent, record.headers, record.firstEvent, record.firstToken,
              record.firstAnswerToken, record.lastToken, record.closed})
            QVERIFY(!isPresent(t));
        for (const std::int32_t count :
             {record.promptTokensPlanned, record.promptTokensClient, record.promptTokens,
              record.outputTokensCap, record.outputTokens, record.cachedTokens, record.firstEventTokens,
              record.cachedTokensPlanned, record.session, record.turn})
            QCOMPARE(count, kUnknownCount);
    }

    void batchesAreJoinedWithTheirSideTables()
    {
        RecordBatch all = batchOf("first", 2);
        all.append(batchOf("second", 3));
        QCOMPARE(all.records.size(), std::size_t{4});
        QCOMPARE(all.errorOf(all.records[0]), std::string_view("first"));
        QCOMPARE(all.errorOf(all.records[2]), std::string_view("second"));
        QVERIFY(all.errorOf(all.records[3]).empty());
        QCOMPARE(all.chunksOf(all.records[1]).size(), std::size_t{2});
        QCOMPARE(all.chunksOf(all.records[1])[0].sinceSentUs, 200u);
        QCOMPARE(all.chunksOf(all.records[3]).size(), std::size_t{3});
        QCOMPARE(all.chunksOf(all.records[3])[2].sinceSentUs, 302u);
        QVERIFY(!all.empty());
        all.clear();
        QVERIFY(all.empty() && all.chunks.empty() && all.errors.empty());
    }

    void theCardHasEveryFixedKey()
    {
        const RunCard card;
        QCOMPARE(card.entries().size(), RunCard::fixedKeys().size());
        QVERIFY(card.entry("engine").origin == CardOrigin::Unknown);
        QVERIFY(card.entry("no such key").origin == CardOrigin::Unknown);
    }

    void whatWasReadWinsOverWhatWasTyped()
    {
        RunCard card;
        card.type("engine", "vllm");
        card.type("quantization", "fp8");
        card.type("model", "");
        QVERIFY((card.entry("engine") == CardEntry{"vllm", CardOrigin::Typed}));
        QVERIFY(card.entry("model").origin == CardOrigin::Unknown);
        card.read("engine", "sglang");
        card.read("quantization", "");
        QVERIFY((card.entry("engine") == CardEntry{"sglang", CardOrigin::Read}));
        QVERIFY((card.entry("quantization") == CardEntry{"fp8", CardOrigin::Typed}));
        card.type("engine", "vllm");
        QVERIFY((card.entry("engine") == CardEntry{"sglang", CardOrigin::Read}));
        card.type("flags.max_num_seqs", "256");
        QVERIFY(cardFromJson(cardToJson(card)) == card);
    }

    void whatIsSentIsToldAnew()
    {
        RunCard card;
        card.read("engine", "vllm");
        card.setSent({{"request.seed", "1"}, {"request.stream", "true"}});
        card.setSent({{"request.stream", "false"}});
        QVERIFY((card.entry("request.stream") == CardEntry{"false", CardOrigin::Sent}));
        QVERIFY(!card.entries().contains("request.seed"));
        QVERIFY(card.entry("engine").origin == CardOrigin::Read);
        QVERIFY(cardFromJson(cardToJson(card)) == card);
    }

    void damagedCardsAreReadAsFarAsTheyGo()
    {
        for (const char* text :
             {"[]", "3", "null", R"({"engine":3})", R"({"engine":{"value":3,"origin":"read"}})",
              R"({"engine":{"value":"vllm","origin":7}})"})
            QVERIFY(cardFromJson(nlohmann::json::parse(text)) == RunCard());
    }
};

QTEST_GUILESS_MAIN(RecordTest)
#include "tst_record.moc"
