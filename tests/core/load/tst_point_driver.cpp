// SPDX-License-Identifier: GPL-3.0-or-later
#include "virtual_transport.h"

#include <QtTest>

#include <set>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

PointLoad closedLoop(int workers, Nanoseconds sendFor, Nanoseconds think = 0ns)
{
    auto source = std::make_shared<ListedSource>();
    source->think = think;
    PointLoad load;
    load.source = source;
    load.concurrency = workers;
    load.sendFor = sendFor;
    load.drain = 30s;
    return load;
}

PointLoad openLoop(Nanoseconds gap, Nanoseconds sendFor)
{
    PointLoad load;
    load.source = ListedSource::every(gap, static_cast<std::uint32_t>(sendFor / gap));
    load.sendFor = sendFor;
    load.drain = 30s;
    return load;
}

/// Each request of the schedule has exactly one record.
void verifyEachOnce(const RecordBatch& batch, std::size_t intended)
{
    std::set<std::uint32_t> numbers;
    for (const RequestRecord& record : batch.records)
        QVERIFY2(numbers.insert(record.request).second, "a request has two records");
    QCOMPARE(numbers.size(), intended);
}

void verifyEachNotSentSays(const RecordBatch& batch, const char* part)
{
    for (const RequestRecord& record : batch.records)
        if (record.outcome == Outcome::NotSent)
            QVERIFY2(QByteArray::fromStdString(std::string(batch.errorOf(record))).contains(part),
                     qPrintable(QString::number(record.request)));
}

} // namespace

class PointDriverTest : public QObject
{
    Q_OBJECT

private slots:
    void closedLoopFollowsItsLaw_data();
    void closedLoopFollowsItsLaw();
    void nextOfAWorkerIsIntendedAtItsEndPlusThinkTime();
    void workersNeverPauseTogether();
    void backlogOfAnOverloadedServerGrows();
    void boundedQueueShowsRejections();
    void latenessOfALimitedGeneratorStaysVisible();
    void slowDispatchDoesNotAddUp();
    void overloadedGeneratorSaysWhatItDidNotSend();
    void nothingIsSentBeforeItsTime();
    void lastRequestsOfThePointAreStillSent();
    void drainEndsInCancellation();
    void stopAccountsForEverything_data();
    void stopAccountsForEverything();
    void pointLastsUntilItsEnd();
    void sendingCanEndSooner_data();
    void sendingCanEndSooner();
    void countEndsThePoint_data();
    void countEndsThePoint();
    void refusedConnectionsDoNotFlood();
    void sharesKeepTheNumbersOfTheSchedule();
    void turnsWaitForTheAnswerBefore();
    void sessionsOverSeveralShares();
    void countEndsSessions();
};

void PointDriverTest::closedLoopFollowsItsLaw_data()
{
    QTest::addColumn<int>("responseMs");
    QTest::addColumn<int>("thinkMs");
    QTest::addColumn<double>("perSecond");
    QTest::newRow("32 workers at 0.5 s") << 500 << 0 << 64.0;
    QTest::newRow("32 workers at 2 s") << 2000 << 0 << 16.0;
    QTest::newRow("32 workers at 2 s, 1 s of thinking") << 2000 << 1000 << 32.0 / 3.0;
}

void PointDriverTest::closedLoopFollowsItsLaw()
{
    QFETCH(int, responseMs);
    QFETCH(int, thinkMs);
    QFETCH(double, perSecond);
    VirtualPoint point;
    point.transport.service = fromMs(responseMs);
    point.begin(closedLoop(32, 60s, fromMs(thinkMs)));
    point.run();
    const double completed = static_cast<double>(point.countOf(Outcome::Completed));
    QCOMPARE(point.batch.records.size(), point.countOf(Outcome::Completed));
    QVERIFY2(std::abs(completed / 60.0 - perSecond) < 0.05 * perSecond,
             qPrintable(QString::number(completed / 60.0)));
    QVERIFY(point.transport.mostInFlight <= 32);
    QCOMPARE(point.counters.completed.get(), point.batch.records.size());
}

void PointDriverTest::nextOfAWorkerIsIntendedAtItsEndPlusThinkTime()
{
    VirtualPoint point;
    point.transport.service = 100ms;
    point.begin(closedLoop(3, 2s, 50ms));
    point.run();
    std::map<std::int32_t, Nanoseconds> endOf;
    for (const RequestRecord& record : point.batch.records) {
        const auto previous = endOf.find(record.worker);
        QCOMPARE(record.intended.count(), previous == endOf.end() ? 0 : (previous->second + 50ms).count());
        QCOMPARE(record.promptTokensPlanned, 10);
        QCOMPARE(record.outputTokensCap, 20);
        endOf[record.worker] = record.closed;
    }
    QCOMPARE(endOf.size(), 3U);
}

void PointDriverTest::workersNeverPauseTogether()
{
    // warm-up and window are one stretch of load: at any moment of it the other seven are in flight
    VirtualPoint point;
    point.transport.service = 130ms;
    point.begin(closedLoop(8, 10s));
    for (Nanoseconds t = 100ms; t < 10s; t += 70ms) {
        point.run(t);
        QCOMPARE(point.transport.inFlight(), 8);
    }
}

void PointDriverTest::backlogOfAnOverloadedServerGrows()
{
    VirtualPoint point;
    point.transport.servers = 8; // 16 per second
    point.transport.service = 500ms;
    point.begin(openLoop(50ms, 60s));
    point.run(30s);
    QVERIFY2(std::abs(static_cast<double>(point.transport.queued()) - 120.0) <= 4.0,
             qPrintable(QString::number(point.transport.queued())));
    point.run();
    verifyEachOnce(point.batch, 1200);
    for (const RequestRecord& record : point.transport.sends)
        QCOMPARE(record.sent.count(), record.intended.count());
}

void PointDriverTest::boundedQueueShowsRejections()
{
    VirtualPoint point;
    point.transport.servers = 8;
    point.transport.service = 500ms;
    point.transport.queueLimit = 16;
    point.begin(openLoop(50ms, 60s));
    point.run();
    verifyEachOnce(point.batch, 1200);
    const double rejected = static_cast<double>(point.countOf(Outcome::Rejected));
    QVERIFY2(std::abs(rejected - (4.0 * 60.0 - 16.0)) <= 8.0, qPrintable(QString::number(rejected)));
    QCOMPARE(point.counters.failed.get(), point.countOf(Outcome::Rejected));
}

void PointDriverTest::latenessOfALimitedGeneratorStaysVisible()
{
    VirtualPoint point;
    point.transport.service = 500ms;
    point.begin(openLoop(50ms, 30s), 5); // 5 in flight at 0.5 s carry 10 of the 20 per second
    point.run(20s);
    QCOMPARE(point.transport.mostInFlight, 5);
    QVERIFY(point.counters.waiting.get() > 190);
    point.run();
    verifyEachOnce(point.batch, 600);
    Nanoseconds worst{0};
    for (const RequestRecord& record : point.batch.records) {
        if (record.outcome != Outcome::Completed)
            continue;
        QVERIFY(record.sent >= record.intended);
        QCOMPARE((record.closed - record.sent).count(), Nanoseconds(500ms).count());
        worst = std::max(worst, record.closed - record.intended);
    }
    QVERIFY(worst > 14s && worst < 16s);
    QVERIFY(std::abs(static_cast<double>(point.countOf(Outcome::NotSent)) - 300.0) <= 6.0);
    verifyEachNotSentSays(point.batch, "max_in_flight");
}

void PointDriverTest::slowDispatchDoesNotAddUp()
{
    VirtualPoint point;
    point.transport.sendCost = 500us;
    point.transport.service = 1ms;
    point.begin(openLoop(5ms, 5s));
    point.run();
    QCOMPARE(point.transport.sends.size(), 1000U);
    const Nanoseconds last = point.transport.sends.back().sent;
    QVERIFY(last >= 4995ms && last < 5005ms);
}

void PointDriverTest::overloadedGeneratorSaysWhatItDidNotSend()
{
    VirtualPoint point;
    point.transport.sendCost = 20ms; // 50 per second
    point.transport.service = 1ms;
    point.begin(openLoop(10ms, 30s));
    point.run();
    verifyEachOnce(point.batch, 3000);
    QVERIFY(std::abs(static_cast<double>(point.transport.sends.size()) - 1500.0) <= 2.0);
    QCOMPARE(point.countOf(Outcome::NotSent), 3000 - point.transport.sends.size());
    verifyEachNotSentSays(point.batch, "generator was too slow");

    // the next point begins with a clean sheet
    VirtualPoint next;
    next.transport.service = 1ms;
    next.begin(openLoop(10ms, 1s));
    next.run();
    QCOMPARE(next.countOf(Outcome::Completed), 100U);
    QCOMPARE(next.transport.sends.front().sent.count(), 0);
}

void PointDriverTest::nothingIsSentBeforeItsTime()
{
    VirtualPoint point;
    point.transport.service = 1ms;
    point.begin(openLoop(10ms, 100ms));
    while (!point.driver->finished()) {
        // a timer that fires 2 ms early, then the right time
        const Nanoseconds next =
            std::max(point.clock.time, std::min(point.driver->nextDue(), point.transport.nextEnd()));
        point.clock.time = std::max(point.clock.time, next - 2ms);
        point.transport.deliver();
        point.driver->sendDue();
        point.clock.time = std::max(point.clock.time, next);
        point.transport.deliver();
        point.driver->sendDue();
    }
    point.buffers.take(point.batch);
    verifyEachOnce(point.batch, 10);
    for (const RequestRecord& record : point.batch.records) {
        QVERIFY(record.sent >= record.intended);
        QVERIFY(record.closed - record.intended >= 1ms);
    }
}

void PointDriverTest::lastRequestsOfThePointAreStillSent()
{
    // nothing looks at the driver in the last millisecond; what was due then goes out, what was late before
    // does not
    VirtualPoint point;
    auto source = std::make_shared<ListedSource>();
    source->times = {0ns, 980ms, 999ms, 1s - 1us, 1s};
    PointLoad load;
    load.source = source;
    load.sendFor = 1s;
    load.drain = 1s;
    point.transport.service = 1ms;
    point.begin(load);
    point.driver->sendDue();
    point.clock.time = 1s + 3ms;
    point.transport.deliver();
    point.driver->sendDue();
    point.run();
    verifyEachOnce(point.batch, 4); // the one at 1 s is not of this point
    QCOMPARE(point.countOf(Outcome::Completed), 3U);
    QCOMPARE(point.countOf(Outcome::NotSent), 1U);
}

void PointDriverTest::drainEndsInCancellation()
{
    VirtualPoint point;
    point.transport.service = 10s;
    PointLoad load = closedLoop(4, 5s);
    load.drain = 2s;
    point.begin(load);
    point.run();
    QCOMPARE(point.clock.time.count(), Nanoseconds(7s).count());
    QCOMPARE(point.countOf(Outcome::Cancelled), 4U);
    QCOMPARE(point.batch.records.size(), 4U);
    QCOMPARE(point.counters.failed.get(), 0U);
    QCOMPARE(point.counters.inFlight.get(), 0U);
}

void PointDriverTest::sendingCanEndSooner_data()
{
    QTest::addColumn<bool>("open");
    QTest::newRow("open loop") << true;
    QTest::newRow("closed loop") << false;
}

void PointDriverTest::sendingCanEndSooner()
{
    QFETCH(bool, open);
    VirtualPoint point;
    point.transport.service = 100ms;
    point.begin(open ? openLoop(50ms, 30s) : closedLoop(4, 30s, 300ms));
    point.run(3s);
    point.driver->endSendingAt(4s);
    point.driver->endSendingAt(20s); // never later again
    point.run();
    QVERIFY(point.clock.time >= 4s && point.clock.time <= 4s + 100ms);
    Nanoseconds last{0};
    for (const RequestRecord& record : point.batch.records) {
        QCOMPARE(record.outcome, Outcome::Completed);
        last = std::max(last, record.intended);
    }
    QVERIFY(last < 4s && last > 3500ms);
    if (open) // at 0, 50, … 3,950 ms
        verifyEachOnce(point.batch, 80);
}

void PointDriverTest::stopAccountsForEverything_data()
{
    QTest::addColumn<bool>("open");
    QTest::addColumn<int>("atMs");
    for (const int at : {0, 1, 999, 5000, 29999, 35000}) {
        QTest::addRow("open at %d ms", at) << true << at;
        QTest::addRow("closed at %d ms", at) << false << at;
    }
}

void PointDriverTest::stopAccountsForEverything()
{
    QFETCH(bool, open);
    QFETCH(int, atMs);
    VirtualPoint point;
    point.transport.servers = 8;
    point.transport.service = 500ms;
    point.begin(open ? openLoop(20ms, 30s) : closedLoop(32, 30s), 16);
    point.run(fromMs(atMs));
    point.driver->stop();
    QVERIFY(point.driver->finished());
    QCOMPARE(point.transport.inFlight(), 0);
    point.buffers.take(point.batch);
    const std::size_t intended =
        open ? static_cast<std::size_t>(std::min(atMs, 29999) / 20 + 1) : point.batch.records.size();
    verifyEachOnce(point.batch, intended);
    verifyEachNotSentSays(point.batch, atMs < 30'000 ? "the point was ended before its turn came"
                                                     : "max_in_flight"); // its time was over already
    QCOMPARE(point.counters.intended.get(), point.batch.records.size());
    QCOMPARE(point.counters.waiting.get(), 0U);
    const auto records = point.batch.records.size();
    point.driver->stop();
    point.driver->sendDue();
    point.buffers.take(point.batch);
    QCOMPARE(point.batch.records.size(), records);
    QCOMPARE(point.driver->nextDue().count(), PointDriver::kNever.count());
}

void PointDriverTest::pointLastsUntilItsEnd()
{
    // the schedule's last request ends long before the point does
    VirtualPoint point;
    point.transport.service = 1ms;
    PointLoad load;
    load.source = ListedSource::every(100ms, 3);
    load.sendFor = 10s;
    point.begin(load);
    point.run(9999ms);
    QVERIFY(!point.driver->finished());
    point.run();
    QCOMPARE(point.clock.time.count(), Nanoseconds(10s).count());
}

void PointDriverTest::countEndsThePoint_data()
{
    QTest::addColumn<bool>("open");
    QTest::newRow("open") << true;
    QTest::newRow("closed") << false;
}

void PointDriverTest::countEndsThePoint()
{
    QFETCH(bool, open);
    VirtualPoint point;
    point.transport.service = 100ms;
    PointLoad load = open ? openLoop(50ms, 30s) : closedLoop(4, 30s);
    load.maxRequests = 10;
    point.begin(load);
    point.run();
    verifyEachOnce(point.batch, 10);
    QCOMPARE(point.countOf(Outcome::Completed), 10U);
    QVERIFY(point.clock.time < 1s);
}

void PointDriverTest::refusedConnectionsDoNotFlood()
{
    VirtualPoint point;
    point.transport.refuse = true;
    point.begin(closedLoop(8, 10s));
    point.run();
    QCOMPARE(point.countOf(Outcome::ConnectFailed), point.batch.records.size());
    QCOMPARE(point.batch.records.size(), 8U * 100U);
}

void PointDriverTest::sharesKeepTheNumbersOfTheSchedule()
{
    VirtualClock clock;
    RecordBuffers buffers;
    std::atomic<std::uint32_t> next{0};
    const PointLoad load = openLoop(10ms, 1s);
    std::set<std::uint32_t> numbers;
    for (int share = 0; share < 3; ++share) {
        LoadCounters counters;
        VirtualTransport transport(clock, buffers);
        PointDriver driver(load, DriverShare{share, 3, 100}, next, clock, transport, buffers, counters);
        transport.observer = &driver;
        for (clock.time = 0ns; clock.time < 1s; clock.time += 10ms) {
            transport.deliver();
            driver.sendDue();
        }
        for (const RequestRecord& record : transport.sends) {
            QCOMPARE(record.request % 3, static_cast<std::uint32_t>(share));
            QCOMPARE(record.intended.count(), Nanoseconds(10ms * record.request).count());
            numbers.insert(record.request);
        }
        driver.stop();
    }
    QCOMPARE(numbers.size(), 100U);
}

void PointDriverTest::turnsWaitForTheAnswerBefore()
{
    VirtualPoint point;
    point.transport.service = 100ms;
    PointLoad load = closedLoop(3, 20s, 50ms);
    auto source = std::make_shared<ListedSource>();
    source->think = 50ms;
    source->turns = {4, 1, 3};
    load.source = source;
    point.begin(load);
    point.run();
    std::map<std::uint32_t, const RequestRecord*> byNumber;
    std::map<std::int32_t, Nanoseconds> endOf;
    for (const RequestRecord& record : point.batch.records) {
        byNumber[record.request] = &record;
        const auto previous = endOf.find(record.worker);
        QCOMPARE(record.intended.count(), previous == endOf.end() ? 0 : (previous->second + 50ms).count());
        endOf[record.worker] = record.closed;
    }
    QCOMPARE(endOf.size(), 3U); // as many sessions at once as workers
    QCOMPARE(point.transport.mostInFlight, 3);
    int whole = 0;
    for (std::uint32_t session = 0; session < 100; ++session) {
        const RequestChain chain = source->chain(session);
        const RequestRecord* before = nullptr;
        for (std::uint32_t turn = 0; turn < chain.count; ++turn) {
            const auto found = byNumber.find(chain.first + turn);
            if (found == byNumber.end())
                break; // the point ended inside it
            if (before) {
                QCOMPARE(found->second->worker, before->worker);
                QCOMPARE(found->second->intended.count(), Nanoseconds(before->closed + 50ms).count());
            }
            before = found->second;
            whole += turn + 1 == chain.count;
        }
    }
    QVERIFY2(whole > 90, qPrintable(QString::number(whole)));
}

void PointDriverTest::sessionsOverSeveralShares()
{
    VirtualClock clock;
    RecordBuffers buffers;
    std::atomic<std::uint32_t> next{0};
    PointLoad load = closedLoop(7, 5s);
    auto source = std::make_shared<ListedSource>();
    source->turns = {2, 5, 1};
    load.source = source;
    std::vector<std::unique_ptr<LoadCounters>> counters;
    std::vector<std::unique_ptr<VirtualTransport>> transports;
    std::vector<std::unique_ptr<PointDriver>> drivers;
    for (int share = 0; share < 3; ++share) {
        counters.push_back(std::make_unique<LoadCounters>());
        transports.push_back(std::make_unique<VirtualTransport>(clock, buffers));
        transports.back()->service = Nanoseconds(10ms) * (share + 1);
        drivers.push_back(std::make_unique<PointDriver>(load, DriverShare{share, 3, 100}, next, clock,
                                                        *transports.back(), buffers, *counters.back()));
        transports.back()->observer = drivers.back().get();
    }
    for (clock.time = 0ns; clock.time < 2s; clock.time += 5ms)
        for (std::size_t share = 0; share < 3; ++share) {
            transports[share]->deliver();
            drivers[share]->sendDue();
        }
    std::map<std::uint32_t, std::int32_t> workerOf;
    for (std::size_t share = 0; share < 3; ++share)
        for (const RequestRecord& record : transports[share]->sends) {
            QCOMPARE(record.worker % 3, static_cast<std::int32_t>(share));
            QVERIFY2(workerOf.emplace(record.request, record.worker).second, "a number was sent twice");
        }
    QVERIFY(workerOf.size() > 600);
    for (std::uint32_t session = 0; session < 200; ++session) {
        const RequestChain chain = source->chain(session);
        for (std::uint32_t turn = 1; turn < chain.count; ++turn)
            QCOMPARE(workerOf.at(chain.first + turn), workerOf.at(chain.first));
    }
    for (const auto& driver : drivers)
        driver->stop();
}

void PointDriverTest::countEndsSessions()
{
    for (const std::int64_t limit : {7, 8, 9, 40}) {
        VirtualPoint point;
        point.transport.service = 100ms;
        PointLoad load = closedLoop(3, 1000s);
        auto source = std::make_shared<ListedSource>();
        source->turns = {4, 1, 3};
        load.source = source;
        load.maxRequests = limit;
        point.begin(load);
        point.run();
        verifyEachOnce(point.batch, static_cast<std::size_t>(limit));
        QCOMPARE(point.countOf(Outcome::Completed), static_cast<std::size_t>(limit));
        for (const RequestRecord& record : point.batch.records)
            QVERIFY(record.request < limit);
        QVERIFY(point.clock.time < 100s);
    }
}

QTEST_GUILESS_MAIN(PointDriverTest)
#include "tst_point_driver.moc"
