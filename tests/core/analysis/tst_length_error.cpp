// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/length_error.h"

#include <QTest>

using namespace tailmark;

class LengthErrorTest : public QObject
{
    Q_OBJECT

private slots:
    void noRequestNoDistribution()
    {
        QVERIFY(!summarizeErrors({}));
    }

    void allExact()
    {
        const LengthErrorSummary s = summarizeErrors({{0, 4096}}).value();
        QCOMPARE(s.n, std::size_t(4096));
        QCOMPARE(s.exactShare(), 1.0);
        QCOMPARE(s.min, 0);
        QCOMPARE(s.max, 0);
        QCOMPARE(lengthErrorText(s),
                 std::string("4,096 of 4,096 prompts have exactly the planned tokens by the server's count"));
    }

    void quantilesAreOfTheSignedErrors()
    {
        LengthErrors errors = {{-3, 1}, {0, 50}, {1, 40}};
        addErrors(errors, {{1, 8}, {12, 1}});
        const LengthErrorSummary s = summarizeErrors(errors).value();
        QCOMPARE(s.n, std::size_t(100));
        QCOMPARE(s.exact, std::size_t(50));
        QCOMPARE(s.min, -3);
        QCOMPARE(s.p50, 0);  // rank 50 of -3, 50 times 0, …
        QCOMPARE(s.p99, 1);  // rank 99
        QCOMPARE(s.max, 12); // rank 100
        QCOMPARE(lengthErrorText(s), std::string("50 of 100 prompts have exactly the planned tokens by the server's "
                                                 "count; reported less planned: min -3, p50 0, p99 +1, max +12"));
    }
};

QTEST_GUILESS_MAIN(LengthErrorTest)
#include "tst_length_error.moc"
