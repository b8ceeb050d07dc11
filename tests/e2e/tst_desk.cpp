// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that need no target: the sanity desk, and results of other tools kept as runs.
#include "programs.h"

using namespace tailmark::test;

class TestDesk : public QObject
{
    Q_OBJECT

private slots:
    void aClaimIsHeldAgainstTheHardware();
    void calculatorsShowTheirNumbers();
    void whatIsNoClaimIsRefused();
    void foreignRunsAreListedExportedAndCompared();
    void whatIsNoResultFileIsRefused();

private:
    QString database() const { return m_folder.filePath(u"runs.sqlite"_s); }
    static QString fixture(const char* name)
    {
        return QStringLiteral(TAILMARK_TEST_DATA "/foreign/") + QString::fromLatin1(name);
    }

    QTemporaryDir m_folder;
};

void TestDesk::aClaimIsHeldAgainstTheHardware()
{
    const Ended told = cli({u"sanity"_s, u"400 tok/s at concurrency 1"_s, u"--accelerator"_s, u"h100-sxm"_s,
                            u"--model"_s, u"llama-3.1-8b"_s, u"--json"_s});
    QCOMPARE(told.code, 0);
    const QJsonObject json = told.json().object();
    QCOMPARE(json[u"claim"_s][u"concurrency"_s].toDouble(), 1.0);
    QStringList impossible;
    for (const QJsonValue& finding : json[u"findings"_s].toArray())
        if (finding[u"kind"_s] == u"impossible"_s)
            impossible << finding[u"topic"_s].toString();
    QCOMPARE(impossible, QStringList{u"bound"_s});
    const Ended text = cli({u"sanity"_s, u"8,400"_s, u"tok/s"_s, u"at"_s, u"concurrency"_s, u"96"_s}); // unquoted
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.startsWith("Understood: 8,400 tok/s, 96 in flight\n"), text.out.constData());
    QVERIFY(text.out.contains("No latency is named"));
    const Ended typed = cli({u"sanity"_s, u"8,400 tok/s at concurrency 96 on H100"_s, u"--concurrency"_s, u"32"_s,
                             u"--accelerator"_s, u"a100-40gb"_s});
    QVERIFY2(typed.out.contains("As typed, in the place of the text: 32 in flight, not 96\n"), typed.out.constData());
    QVERIFY2(typed.out.contains("NVIDIA A100 40 GB, not NVIDIA H100 80 GB SXM\n"), typed.out.constData());
}

void TestDesk::calculatorsShowTheirNumbers()
{
    const Ended told = cli({u"sanity"_s, u"--closed-loop"_s, u"32"_s, u"2"_s, u"1"_s, u"--backlog"_s, u"20"_s, u"16"_s,
                            u"30"_s, u"--rounds"_s, u"5/0.010"_s, u"1/0.020"_s, u"--rounds-after"_s, u"5/0.010"_s,
                            u"1/0.014"_s});
    QCOMPARE(told.code, 0);
    for (const char* part : {"10.7 requests/s", "= 120 requests waiting", "= 200 tok/s; the mean of the 2 rates is 275",
                             "= 250 tok/s", "25 % more throughput (20 % less time"})
        QVERIFY2(told.out.contains(part), told.out.constData());
}

void TestDesk::whatIsNoClaimIsRefused()
{
    for (const QStringList& arguments : {QStringList{u"sanity"_s, u"the fastest engine"_s}, QStringList{u"sanity"_s},
                                         QStringList{u"sanity"_s, u"--rounds"_s, u"5"_s},
                                         QStringList{u"sanity"_s, u"--backlog"_s, u"0"_s, u"1"_s, u"1"_s},
                                         QStringList{u"sanity"_s, u"9 tok/s"_s, u"--accelerator"_s, u"h100"_s},
                                         QStringList{u"sanity"_s, u"8.400 tok/s"_s}, QStringList{u"sanity"_s, u"-5 tok/s"_s},
                                         QStringList{u"sanity"_s, u"--tokens-per-s"_s, u"inf"_s},
                                         QStringList{u"sanity"_s, u"9 tok/s"_s, u"--prompt-tokens"_s, u"-5"_s},
                                         QStringList{u"sanity"_s, u"9 tok/s"_s, u"--devices"_s, u"0"_s},
                                         QStringList{u"sanity"_s, u"9 tok/s"_s, u"--bytes-per-param"_s, u"0"_s},
                                         QStringList{u"sanity"_s, u"9 tok/s"_s, u"--latency"_s, u"send_lag_ms:p99<=9"_s},
                                         QStringList{u"sanity"_s, u"--rounds"_s, u"5/inf"_s}}) {
        const Ended refused = cli(arguments);
        QVERIFY2(refused.code == 2 && refused.errorLines().size() == 1, refused.err.constData());
    }
}

void TestDesk::foreignRunsAreListedExportedAndCompared()
{
    const Ended kept = cli({u"import-result"_s, fixture("vllm-c8.json"), fixture("vllm-c32.json"),
                            fixture("vllm-c64.json"), u"--name"_s, u"theirs"_s, u"--db"_s, database()});
    QVERIFY2(kept.code == 0, kept.err.constData());
    QVERIFY2(kept.out.startsWith("run 1: 3 levels measured by vLLM\n"), kept.out.constData());
    QCOMPARE(cli({u"import-result"_s, fixture("guidellm.json"), u"--db"_s, database()}).code, 0);

    const Ended list = cli({u"list"_s, u"--db"_s, database(), u"--json"_s});
    QCOMPARE(list.json().array()[1][u"measured_by"_s].toString(), u"vllm"_s);
    QVERIFY(cli({u"list"_s, u"--db"_s, database()}).out.contains("done, by vLLM"));

    for (const QString& as : {u"json"_s, u"csv"_s, u"md"_s, u"html"_s})
        QCOMPARE(cli({u"export"_s, u"theirs"_s, u"--as"_s, as, u"--db"_s, database()}).code, 0);
    const Ended records = cli({u"export"_s, u"theirs"_s, u"--as"_s, u"records"_s, u"--db"_s, database()});
    QCOMPARE(records.code, 2);
    QVERIFY2(records.err.contains("was measured by vLLM and has no records"), records.err.constData());

    const Ended at = cli({u"operating-point"_s, u"theirs"_s, u"--slo"_s, u"ttft_ms:p99<=1000"_s, u"--db"_s, database()});
    QVERIFY2(at.out.contains("up to concurrency 44.3"), at.out.constData());
    const Ended compared = cli({u"compare"_s, u"1"_s, u"2"_s, u"--db"_s, database()});
    QCOMPARE(compared.code, 0);
    QVERIFY2(compared.out.contains("The definitions differ: A as vLLM counts"), compared.out.constData());
}

void TestDesk::whatIsNoResultFileIsRefused()
{
    const Ended unknown = cli({u"import-result"_s, QStringLiteral(TAILMARK_TEST_DATA "/e2e/fast.json"), u"--db"_s, database()});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("is no result file that is known"), unknown.err.constData());
    const Ended loads = cli({u"import-result"_s, fixture("vllm-c8.json"), u"--concurrency"_s, u"1"_s, u"2"_s, u"--db"_s,
                             database()});
    QCOMPARE(loads.code, 2);
    QVERIFY2(loads.err.contains("one value for each file, of which there are 1"), loads.err.constData());
}

QTEST_GUILESS_MAIN(TestDesk)
#include "tst_desk.moc"
