// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <set>

#include "sim/tokens.h"

using namespace tailmark::sim;

class TestTokens : public QObject
{
    Q_OBJECT

private slots:
    void aWordIsAToken();
    void idsAreStableAndInTheVocabulary();
    void templateCosts();
    void answersReadBackAsTheirTokens();
    void naturalLengthsFollowTheDistribution();
    void blockHashesChain();
    void manyWordsShareNoIdentity();
};

static TokenizedPrompt textPrompt(std::string_view text)
{
    TokenizedPrompt prompt;
    prompt.addText(text);
    return prompt;
}

void TestTokens::aWordIsAToken()
{
    QCOMPARE(textPrompt("").size(), 0);
    QCOMPARE(textPrompt(" \t\r\n\v\f").size(), 0);
    QCOMPARE(textPrompt("one").size(), 1);
    QCOMPARE(textPrompt("  one two\tthree\nfour\r\n").size(), 4);
    QCOMPARE(textPrompt("gr\u00fc\u00df dich \u4f60\u597d").size(), 3);
    QCOMPARE(textPrompt("a  b").ids(), textPrompt("a b").ids());
}

void TestTokens::idsAreStableAndInTheVocabulary()
{
    const auto ids = textPrompt("the quick brown fox the").ids();
    QCOMPARE(ids[0], ids[4]);
    QVERIFY(ids[0] != ids[1]);
    for (const auto id : ids)
        QVERIFY(id >= 0 && id < kVocabularySize);
    TokenizedPrompt byId;
    byId.addId(5);
    byId.addId(6);
    QCOMPARE(byId.ids(), (std::vector<std::int32_t>{5, 6}));
}

void TestTokens::templateCosts()
{
    TokenizedPrompt prompt;
    prompt.openMessage("user");
    prompt.addText("one two three");
    prompt.closeMessage();
    QCOMPARE(prompt.size(), 3 + kTokensPerMessage);
    prompt.openMessage("assistant");
    QCOMPARE(prompt.size(), 3 + kTokensPerMessage + kTokensOfReplyOpening);
}

void TestTokens::answersReadBackAsTheirTokens()
{
    std::string text;
    std::vector<std::int32_t> ids;
    std::set<std::string> words;
    for (int i = 0; i < 500; ++i) {
        const OutputWord& word = outputWord(9, i);
        text += " " + word.text;
        ids.push_back(word.id);
        words.insert(word.text);
        QVERIFY(std::all_of(word.text.begin(), word.text.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
    }
    QCOMPARE(textPrompt(text).ids(), ids);
    QVERIFY(words.size() > 300);
    QCOMPARE(outputWord(9, 3).text, outputWord(9, 3).text);
}

void TestTokens::naturalLengthsFollowTheDistribution()
{
    double sum = 0;
    double squares = 0;
    constexpr int n = 20'000;
    for (std::uint64_t seed = 0; seed < n; ++seed) {
        const double length = naturalLength(seed, 200, 0.8);
        QVERIFY(length >= 1);
        sum += length;
        squares += length * length;
    }
    const double mean = sum / n;
    const double cv = std::sqrt(squares / n - mean * mean) / mean;
    QVERIFY2(std::abs(mean - 200) < 5, qPrintable(QString::number(mean)));
    QVERIFY2(std::abs(cv - 0.8) < 0.05, qPrintable(QString::number(cv)));
    QCOMPARE(naturalLength(77, 200, 0.8), naturalLength(77, 200, 0.8));
    QCOMPARE(naturalLength(77, 200, 0), 200);
    QVERIFY(naturalLength(77, 200, 0.8) != naturalLength(78, 200, 0.8));
}

void TestTokens::blockHashesChain()
{
    const auto words = [](int from, int to) {
        std::string text;
        for (int i = from; i < to; ++i)
            text += " w" + std::to_string(i);
        return text;
    };
    const TokenizedPrompt prompt = textPrompt(words(0, 40));
    const auto hashes = blockHashes(prompt, "", 1, 30, 16);
    QCOMPARE(hashes.size(), 4u); // 70 tokens
    // Another answer changes only the blocks it is in.
    const auto otherAnswer = blockHashes(prompt, "", 2, 30, 16);
    QCOMPARE(otherAnswer[1], hashes[1]);
    QVERIFY(otherAnswer[2] != hashes[2]);
    // Another first word changes every block, another salt too.
    const auto otherStart = blockHashes(textPrompt("x" + words(1, 40)), "", 1, 30, 16);
    const auto salted = blockHashes(prompt, "salt", 1, 30, 16);
    for (int i = 0; i < 4; ++i) {
        QVERIFY(otherStart[i] != hashes[i]);
        QVERIFY(salted[i] != hashes[i]);
    }
    QVERIFY(prompt.contentHash() != textPrompt(words(0, 39)).contentHash());
    QCOMPARE(prompt.contentHash(), textPrompt(words(0, 40)).contentHash());
}

void TestTokens::manyWordsShareNoIdentity()
{
    // A unique first word must make a prompt cold, so identities must be finer than the vocabulary's ids.
    std::set<std::uint64_t> identities;
    for (int i = 0; i < 100'000; ++i)
        identities.insert(textPrompt("salt-" + std::to_string(i)).identities()[0]);
    QCOMPARE(identities.size(), 100'000u);
}

QTEST_GUILESS_MAIN(TestTokens)
#include "tst_tokens.moc"
