// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt_fit.h"

#include <QtTest>

using namespace tailmark;

class PromptFitTest : public QObject
{
    Q_OBJECT

private slots:
    void piecesAndCountsAgree_data()
    {
        QTest::addColumn<double>("perPiece");
        QTest::addColumn<int>("overhead");
        QTest::addColumn<int>("planned");
        QTest::addColumn<int>("pieces");
        QTest::addColumn<int>("counted");
        QTest::newRow("exact") << 1.0 << 8 << 512 << 504 << 512;
        QTest::newRow("as long as the overhead") << 1.0 << 8 << 8 << 0 << 8;
        QTest::newRow("shorter than the overhead") << 1.0 << 8 << 3 << 0 << 8;
        QTest::newRow("two tokens a word, even") << 2.0 << 10 << 110 << 50 << 110;
        QTest::newRow("two tokens a word, odd") << 2.0 << 10 << 111 << 51 << 112;
        QTest::newRow("between") << 1.25 << 10 << 1010 << 800 << 1010;
    }
    void piecesAndCountsAgree()
    {
        QFETCH(double, perPiece);
        QFETCH(int, overhead);
        QFETCH(int, planned);
        QFETCH(int, pieces);
        QFETCH(int, counted);
        PromptFit fit;
        fit.tokensPerPiece = perPiece;
        fit.overheadTokens = overhead;
        QCOMPARE(fit.piecesFor(planned), std::size_t(pieces));
        QVERIFY(!fit.clientTokens(planned)); // nobody counted
        fit.method = PromptMethod::Usage;
        QVERIFY(!fit.clientTokens(planned)); // only the server did
        QCOMPARE(fit.exact(), perPiece == 1);
        fit.method = PromptMethod::Tokenizer;
        if (fit.exact())
            QCOMPARE(fit.clientTokens(planned).value(), counted);
        else
            QVERIFY(!fit.clientTokens(planned)); // an estimate is no count
    }

    void saidInWords()
    {
        PromptFit fit;
        QVERIFY(!fit.exact());
        QVERIFY(promptFitText(fit).find("not checked") != std::string::npos);
        fit.method = PromptMethod::Tokenizer;
        fit.overheadTokens = 8;
        fit.dropped = {"lawyer", "lawyers"};
        QCOMPARE(promptFitText(fit),
                 std::string("prompt lengths are fitted through the server's tokenizer: one token a word (2 of 256 "
                             "words are more than one and left out), 8 the same in every prompt"));
        fit.method = PromptMethod::Usage;
        fit.dropped.clear();
        fit.tokensPerPiece = 1.3125;
        QCOMPARE(promptFitText(fit),
                 std::string("prompt lengths are fitted to the prompt tokens that the server reports: 1.312 tokens a "
                             "word, so not exact, 8 the same in every prompt"));
    }
};

QTEST_GUILESS_MAIN(PromptFitTest)
#include "tst_prompt_fit.moc"
