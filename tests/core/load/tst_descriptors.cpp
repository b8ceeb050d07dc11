// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/descriptors.h"
#include "load/load_generator.h"

#include "scripted_server.h"

#include <QtTest>

#include <sys/resource.h>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

class OneSource final : public RequestSource
{
public:
    std::uint32_t count() const override { return 0; }
    PlannedRequest planned(std::uint32_t) const override { return {}; }
    void writeBody(std::uint32_t, std::string& body) const override { body = "{}"; }
};

} // namespace

/// Lowers the limit of its own process for good, therefore a program of its own.
class DescriptorsTest : public QObject
{
    Q_OBJECT

private slots:
    void missingOnesAreCounted();
    void runningOutIsSaidAndNotBlamedOnTheServer();
};

void DescriptorsTest::missingOnesAreCounted()
{
    const rlimit limit{200, 1024};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    QCOMPARE(missingDescriptors(960), std::string());
    QCOMPARE(
        missingDescriptors(4096),
        std::string("4096 connections at once need 4160 file descriptors, the system allows 1024: 3136 are "
                    "missing (raise the hard limit, ulimit -Hn)"));
}

void DescriptorsTest::runningOutIsSaidAndNotBlamedOnTheServer()
{
    const rlimit limit{80, 80};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    ScriptedServer server([](Exchange& e) {
        e.pause(200ms);
        answer(e);
    });
    Endpoint endpoint;
    endpoint.url = server.url();
    LoadGenerator generator(endpoint, {});
    PointLoad load;
    load.source = std::make_shared<OneSource>();
    load.concurrency = 100; // more than there are descriptors
    load.sendFor = 500ms;
    load.drain = 10s;
    QVERIFY(generator.begin(load).ok());
    QTRY_VERIFY_WITH_TIMEOUT(generator.finished(), 20000);
    RecordBatch batch;
    generator.takeRecords(batch);
    std::size_t notSent = 0;
    std::size_t completed = 0;
    for (const RequestRecord& record : batch.records) {
        notSent += record.outcome == Outcome::NotSent;
        completed += record.outcome == Outcome::Completed;
    }
    QVERIFY(notSent > 0);
    QVERIFY(completed > 0);
    const std::string note = generator.health().note;
    QVERIFY2(note.starts_with("file descriptors ran out at"), note.c_str());
}

QTEST_GUILESS_MAIN(DescriptorsTest)
#include "tst_descriptors.moc"
