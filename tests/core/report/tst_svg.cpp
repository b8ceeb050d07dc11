// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.h"
#include "report/svg.h"

#include <cmath>
#include <limits>
#include <sstream>

#include <QTest>

using namespace tailmark;

class SvgTest : public QObject
{
    Q_OBJECT

private slots:
    void linearAxis()
    {
        const SvgAxis axis(0, 100, false, 10, 210);
        QCOMPARE(axis.at(0), 10.0);
        QCOMPARE(axis.at(50), 110.0);
        QCOMPARE(axis.ticks(), (std::vector<double>{0, 20, 40, 60, 80, 100}));
    }

    void logarithmicAxis()
    {
        const SvgAxis axis(1, 10000, true, 0, 400);
        QVERIFY(std::fabs(axis.at(100) - 200) < 1e-9);
        QCOMPARE(axis.ticks(), (std::vector<double>{1, 10, 100, 1000, 10000}));
    }

    void ticksAreFewWhateverTheRange_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<bool>("logarithmic");
        QTest::newRow("wide, logarithmic") << 1e-9 << 1e9 << true;
        QTest::newRow("wide") << 1e-9 << 1e9 << false;
        QTest::newRow("one value") << 5.0 << 5.0 << false;
        QTest::newRow("one value, logarithmic") << 5.0 << 5.0 << true;
        QTest::newRow("zero") << 0.0 << 0.0 << false;
        QTest::newRow("narrow") << 1000.0 << 1000.1 << false;
        QTest::newRow("two decades") << 90.0 << 4000.0 << true;
        QTest::newRow("backwards") << 10.0 << 1.0 << false;
    }
    void ticksAreFewWhateverTheRange()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(bool, logarithmic);
        const SvgAxis axis(low, high, logarithmic, 0, 100);
        const std::vector<double> ticks = axis.ticks();
        QVERIFY(ticks.size() >= 2 && ticks.size() <= 12);
        for (const double tick : ticks) {
            QVERIFY(std::isfinite(axis.at(tick)));
            QVERIFY(axis.at(tick) >= -1e-6 && axis.at(tick) <= 100 + 1e-6);
        }
    }

    void textIsEscaped()
    {
        QCOMPARE(escapeMarkup("<a href=\"x\">'&\x01"), std::string("&lt;a href=&quot;x&quot;&gt;&#39;&amp; "));
        SvgWriter svg(10, 10, "a < b");
        svg.text(1, 2, "start", "label", "x & y");
        svg.circle(1, 2, 3, "mark", "\"tip\"");
        const std::string out = svg.finish();
        QVERIFY(out.find("a &lt; b") != std::string::npos);
        QVERIFY(out.find("x &amp; y") != std::string::npos);
        QVERIFY(out.find("&quot;tip&quot;") != std::string::npos);
    }

    void csvCells()
    {
        std::ostringstream out;
        CsvWriter csv(out);
        csv.text("plain").text("a,b").text("say \"no\"").text("two\nlines").text("=1+2").text("@x").text("");
        csv.endRow();
        csv.number(-5.0).number(0.1).number(std::numeric_limits<double>::quiet_NaN()).number(std::nullopt);
        csv.integer(-7).flag(true).empty();
        csv.endRow();
        QCOMPARE(out.str(), std::string("plain,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",'=1+2,'@x,\r\n"
                                        "-5,0.1,,,-7,true,\r\n"));
    }
};

QTEST_GUILESS_MAIN(SvgTest)
#include "tst_svg.moc"
