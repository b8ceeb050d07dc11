// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"
#include "base/percentile_text.h"
#include "base/result.h"
#include "base/rng.h"

#include <QtTest>

#include <memory>
#include <set>

using namespace tailmark;

class BaseTest : public QObject
{
    Q_OBJECT

private slots:
    void timesAreExact()
    {
        QCOMPARE(fromSeconds(1.5), Nanoseconds(1'500'000'000));
        QCOMPARE(fromSeconds(-0.25), Nanoseconds(-250'000'000));
        QCOMPARE(fromSeconds(1e-9 * 0.6), Nanoseconds(1)); // to the nearest
        QCOMPARE(fromMs(4995), Nanoseconds(4'995'000'000));
        QCOMPARE(toMs(Nanoseconds(100)), 1e-4);
        QCOMPARE(toSeconds(fromSeconds(86'400.125)), 86'400.125);
    }

    void anAbsentTimeStaysAbsent()
    {
        QVERIFY(!isPresent(kAbsentTime));
        QVERIFY(isPresent(Nanoseconds{0}));
        QVERIFY(!msBetween(kAbsentTime, Nanoseconds{0}).has_value());
        QVERIFY(!msBetween(Nanoseconds{0}, kAbsentTime).has_value());
        QCOMPARE(msBetween(fromMs(2), fromMs(5)).value(), 3.0);
        QCOMPARE(msBetween(fromMs(5), fromMs(2)).value(), -3.0);
    }

    void percentilesKeepAllTheirDigits()
    {
        for (const char* text : {"p50", "p99", "p99.9", "p99.95", "p99.99999", "p0.00001"})
            QCOMPARE(percentileText(std::stod(text + 1)), std::string(text));
    }

    void monotonicClockNeverGoesBack()
    {
        const MonotonicClock clock;
        Nanoseconds last = clock.now();
        for (int i = 0; i < 1000; ++i) {
            const Nanoseconds now = clock.now();
            QVERIFY(now >= last);
            last = now;
        }
    }

    void wallClockIsIso8601()
    {
        const QString text = QString::fromStdString(utcNow());
        QVERIFY2(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$")
                     .match(text)
                     .hasMatch(),
                 qPrintable(text));
        QVERIFY(std::abs(
                    QDateTime::fromString(text, Qt::ISODateWithMs).secsTo(QDateTime::currentDateTimeUtc())) <=
                5);
    }

    void seedsAreTheSameEverywhere()
    {
        // SplitMix64's published sequence for the seed 1234567.
        QCOMPARE(mixBits(1234567), std::uint64_t{6'457'827'717'110'365'317U});
        QCOMPARE(mixBits(1234567 + 0x9e3779b97f4a7c15ULL), std::uint64_t{3'203'168'211'198'807'973U});
        // FNV-1a's published values.
        QCOMPARE(hashText(""), std::uint64_t{0xcbf29ce484222325ULL});
        QCOMPARE(hashText("foobar"), std::uint64_t{0x85944171f73967e8ULL});
        Rng rng(5489); // mt19937_64's required 10,000th value
        rng.discard(9999);
        QCOMPARE(rng(), std::uint64_t{9'981'545'732'273'789'042U});
    }

    void derivedSeedsDiffer()
    {
        std::set<std::uint64_t> seeds;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            for (std::uint64_t a = 0; a < 20; ++a) {
                for (std::uint64_t b = 0; b < 20; ++b)
                    seeds.insert(deriveSeed(seed, a, b));
            }
        }
        QCOMPARE(seeds.size(), std::size_t{8000});
    }

    void resultsHoldAValueOrAnError()
    {
        Result<std::unique_ptr<int>> good(std::make_unique<int>(3));
        QVERIFY(good.ok());
        QCOMPARE(*good.value(), 3);
        const std::unique_ptr<int> taken = std::move(good).value();
        QCOMPARE(*taken, 3);

        const Result<int> bad(Error{ErrorCode::BadInput, "file:3", "is wrong"});
        QVERIFY(!bad);
        QCOMPARE(bad.error().line(), std::string("file:3: is wrong"));
        QCOMPARE((Error{ErrorCode::Internal, "", "is wrong"}.line()), std::string("is wrong"));
        QVERIFY(success().ok());
    }

    void aMemberOfATemporaryResultLivesThroughALoop()
    {
        struct Holder
        {
            std::vector<int> list;
        };
        const auto make = [] { return Result<Holder>(Holder{{1, 2, 3}}); };
        int sum = 0;
        for (const int value : make().value().list)
            sum += value;
        QCOMPARE(sum, 6);
    }
};

QTEST_GUILESS_MAIN(BaseTest)
#include "tst_base.moc"
