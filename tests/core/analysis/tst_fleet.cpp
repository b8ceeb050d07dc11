// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/fleet.h"

using namespace tailmark;

namespace {

/// A replica with 44.3 requests/s and 6,444 tok/s at its crossing.
OperatingPoint found(const std::optional<CrossingInterval>& tokens = CrossingInterval{5800, 7100})
{
    OperatingPoint op;
    op.axis = LoadAxis::RatePerS;
    op.state = OperatingState::Found;
    op.lastPassing = {32, 40, 5600, 40};
    op.crossing = CapacityAt{44.3, 44.3, 6444, 44};
    op.crossingTokensPerS = tokens;
    if (tokens)
        op.crossingRequestsPerS = CrossingInterval{39.873, 48.8, tokens->lowOpen, tokens->highOpen};
    return op;
}

QString sentence(const FleetSize& fleet)
{
    return QString::fromStdString(fleet.sentence);
}

} // namespace

class FleetTest : public QObject
{
    Q_OBJECT

private slots:
    void countsWithTheLowerEndOfTheInterval()
    {
        // 44.3 x 5800 / 6444 = 39.87; 120 / 39.87 = 3.01 -> 4.
        const FleetSize fleet = fleetFor(found(), {120, FleetUnit::RequestsPerS, 0});
        QVERIFY(fleet.isLowerEnd && std::abs(*fleet.perReplica - 39.873) < 1e-3);
        QCOMPARE(*fleet.replicas, 4);
        QVERIFY2(sentence(fleet).startsWith(
                     "4 replicas carry 120 requests/s within the limits, each loaded to 75"),
                 fleet.sentence.c_str());
        QVERIFY2(sentence(fleet).contains("lower end of the 95 % interval") &&
                     sentence(fleet).contains("independent") && sentence(fleet).contains("add headroom"),
                 fleet.sentence.c_str());
        // 29000 / 5800 = 5 exactly; with a fifth kept free 29000 / 4640 = 6.25 -> 7.
        QCOMPARE(*fleetFor(found(), {29000, FleetUnit::TokensPerS, 0}).replicas, 5);
        QCOMPARE(*fleetFor(found(), {29000, FleetUnit::TokensPerS, 0.2}).replicas, 7);
        QCOMPARE(*fleetFor(found(), {1, FleetUnit::TokensPerS, 0}).replicas, 1);
    }

    void withoutAnIntervalTheLastPassingLevel()
    {
        const FleetSize fleet = fleetFor(found(std::nullopt), {120, FleetUnit::RequestsPerS, 0});
        QVERIFY(!fleet.isLowerEnd);
        QCOMPARE(*fleet.perReplica, 40.0);
        QCOMPARE(*fleet.replicas, 3);
        OperatingPoint notReached = found(std::nullopt);
        notReached.state = OperatingState::NotReached;
        notReached.crossing.reset();
        QVERIFY(sentence(fleetFor(notReached, {120, FleetUnit::RequestsPerS, 0})).contains("fewer may do"));
    }

    void anOpenLowerEndIsNoCapacity()
    {
        for (const FleetUnit unit : {FleetUnit::RequestsPerS, FleetUnit::TokensPerS}) {
            const FleetSize fleet = fleetFor(found(CrossingInterval{5800, 7100, true, false}), {120, unit, 0});
            QVERIFY(!fleet.replicas && !fleet.perReplica && !fleet.isLowerEnd);
            QVERIFY2(sentence(fleet).contains("lies below the lowest level"), fleet.sentence.c_str());
        }
        QVERIFY(fleetFor(found(CrossingInterval{5800, 7100, false, true}), {120, FleetUnit::RequestsPerS, 0}).replicas);
    }

    void aClosedLoopIsRemarked()
    {
        OperatingPoint op = found();
        QVERIFY(!sentence(fleetFor(op, {120, FleetUnit::RequestsPerS, 0})).contains("closed loop"));
        op.axis = LoadAxis::Concurrency;
        QVERIFY(sentence(fleetFor(op, {120, FleetUnit::RequestsPerS, 0})).contains("capacity of a closed loop"));
    }

    void nothingIsGuessedWithoutACapacity()
    {
        OperatingPoint op;
        op.state = OperatingState::BelowFirst;
        const FleetSize fleet = fleetFor(op, {120, FleetUnit::RequestsPerS, 0});
        QVERIFY(!fleet.replicas && !fleet.perReplica);
        QVERIFY(sentence(fleet).startsWith("No number of replicas can be told"));
    }

    void demandsAreRead()
    {
        QCOMPARE(parseFleetDemand("120").value().value, 120.0);
        QCOMPARE(parseFleetDemand("120").value().unit, FleetUnit::RequestsPerS);
        QCOMPARE(parseFleetDemand("0.5 requests/s").value().value, 0.5);
        QCOMPARE(parseFleetDemand("9000 tok/s").value().unit, FleetUnit::TokensPerS);
        QCOMPARE(parseFleetDemand("9000tok/s").value().unit, FleetUnit::TokensPerS);
        for (const char* wrong : {"", "many", "0", "-3", "120 users", "inf", "nan", "1e300"})
            QVERIFY2(!parseFleetDemand(wrong), wrong);
    }
};

QTEST_GUILESS_MAIN(FleetTest)
#include "tst_fleet.moc"
