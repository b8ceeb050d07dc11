// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/cold_start.h"

#include <QtTest>

using namespace tailmark;

namespace {

/// Requests one after another, with these TTFTs in ms; 0 = failed.
RecordBatch requests(const std::vector<double>& ttfts)
{
    RecordBatch batch;
    Nanoseconds at = fromMs(10);
    for (std::size_t i = 0; i < ttfts.size(); ++i) {
        RequestRecord record;
        record.request = static_cast<std::uint32_t>(i);
        record.intended = record.sent = at;
        record.outcome = ttfts[i] > 0 ? Outcome::Completed : Outcome::ServerError;
        if (ttfts[i] > 0)
            record.firstToken = record.lastToken = at + fromMs(ttfts[i]);
        record.closed = at = at + fromMs(ttfts[i] + 100);
        batch.records.push_back(record);
    }
    return batch;
}

PointFacts broughtUp()
{
    PointFacts facts;
    facts.coldStart = ColdStartFacts{"engine serve", 3, 12, 12.5, 200};
    return facts;
}

} // namespace

class ColdStartTest : public QObject
{
    Q_OBJECT

private slots:
    void otherPointsHaveNone()
    {
        QVERIFY(!summarizeColdStart(requests({1, 2, 3}), PointFacts()));
    }

    void ttftDecaysToItsSteadyValue()
    {
        const auto s = summarizeColdStart(requests({4'000, 2'000, 900, 109, 95, 101, 100, 99, 100, 102}), broughtUp());
        QVERIFY(s);
        QCOMPARE(s->connectedS, 3.0);
        QCOMPARE(s->readyS, 12.0);
        QVERIFY(!s->wasUp);
        QCOMPARE(*s->firstTokenS, 12.5 + 0.01 + 4);
        QCOMPARE(s->ttftMs.size(), std::size_t{10});
        QCOMPARE(*s->steadyTtftMs, 100.0); // median of 101, 100, 99, 100, 102
        QCOMPARE(*s->steadyRequest, 4);    // 109 is within 10 %
        QCOMPARE(*s->steadyS, 12.5 + 0.01 + 6.9 + 0.3);
        QCOMPARE(coldStartSentence(*s),
                 std::string("From the start of the command: connected after 3 s, ready after 12 s, first token after "
                             "16.5 s. The first request had a TTFT of 4 s. TTFT was steady at 100 ms from request 4 on, "
                             "19.7 s after the start."));
    }

    void oneSlowRequestDoesNotUndoIt()
    {
        const auto s =
            summarizeColdStart(requests({500, 100, 100, 100, 100, 300, 100, 100, 100, 100, 100, 100}), broughtUp());
        QCOMPARE(*s->steadyRequest, 2); // no running median of three saw it
        const auto two =
            summarizeColdStart(requests({500, 100, 300, 300, 100, 100, 100, 100, 100, 100, 100, 100}), broughtUp());
        QCOMPARE(*two->steadyRequest, 5);
    }

    void warmFromTheFirstRequestOn()
    {
        PointFacts facts = broughtUp();
        facts.coldStart->command.clear();
        facts.coldStart->failedAttempts = 0;
        const auto s = summarizeColdStart(requests({100, 100, 100, 100, 100, 100}), facts);
        QCOMPARE(*s->steadyRequest, 1);
        QVERIFY(s->wasUp);
        QVERIFY(coldStartSentence(*s).find("may have been warm") != std::string::npos);
    }

    void notSteadyWithinTheRequests()
    {
        const auto s = summarizeColdStart(requests({800, 700, 600, 500, 400, 300, 200, 100}), broughtUp());
        QVERIFY(s->steadyTtftMs);
        QVERIFY(!s->steadyRequest && !s->steadyS);
        QVERIFY(coldStartSentence(*s).find("not steady within the first half of 8 requests") != std::string::npos);
    }

    void failuresCountAsRequests()
    {
        const auto s = summarizeColdStart(requests({0, 0, 900, 100, 100, 100, 100, 100, 100, 100}), broughtUp());
        QVERIFY(!s->ttftMs[0] && s->ttftMs[2]);
        QCOMPARE(*s->steadyRequest, 4);
        QCOMPARE(*s->firstTokenS, 12.5 + 0.01 + 0.2 + 0.9);
        const auto none = summarizeColdStart(requests({0, 0, 0, 0, 0, 0}), broughtUp());
        QVERIFY(!none->firstTokenS && !none->steadyTtftMs);
        QVERIFY(coldStartSentence(*none).find("no request had a token") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ColdStartTest)
#include "tst_cold_start.moc"
