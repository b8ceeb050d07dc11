// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/format.h"
#include "models/workload_text.h"
#include "workload/trace/trace_import.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

class TestWorkloadText : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    WorkloadSummary summary(const QByteArray& text)
    {
        QFile file(m_folder.filePath("log"));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        file.close();
        const Result<Trace> trace = importTrace(file.fileName().toStdString());
        return trace ? summaryOf(trace.value()) : WorkloadSummary();
    }
    static QString fact(const WorkloadSummary& summary, const QString& name)
    {
        for (const Fact& each : workloadFacts(summary))
            if (each.name == name)
                return each.value;
        return {};
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void aMooncakeTraceTellsItsSharing()
    {
        // The second request has the first block of the first one: 512 of its 1024 tokens, of 2048 in all.
        const WorkloadSummary log = summary(
            "{\"timestamp\": 0, \"input_length\": 1024, \"output_length\": 10, \"hash_ids\": [1, 2]}\n"
            "{\"timestamp\": 2000, \"input_length\": 1024, \"output_length\": 20, \"hash_ids\": [1, 3]}\n");
        const QString sharing = fact(log, "Prefix sharing");
        QVERIFY2(sharing.contains("ideal hit rate " + formatShare(0.25) + " of the prompt tokens"),
                 qPrintable(sharing));
        QVERIFY2(sharing.contains(formatShare(0.5) + " of the requests hit"), qPrintable(sharing));
        QVERIFY2(sharing.contains("blocks of 512 tokens"), qPrintable(sharing));
        QVERIFY2(fact(log, "Reused").contains("within"), qPrintable(fact(log, "Reused")));
        QVERIFY2(fact(log, "Arrivals").startsWith("2 s"), qPrintable(fact(log, "Arrivals")));
        QVERIFY(fact(log, "Requests").startsWith("2 · "));
        QVERIFY(fact(log, "Rank correlation").isEmpty()); // one side does not vary
        QVERIFY(fact(log, "Clock").isEmpty());
    }

    void aGridOfStampsIsSaid()
    {
        QByteArray text = "timestamp,prompt_tokens,completion_tokens\n";
        for (int i = 0; i < 400; ++i) // two to four in each second
            for (int k = 0; k <= 1 + i % 3; ++k)
                text += QByteArray::number(1'700'000'000 + i) + "," + QByteArray::number(100 + i) + "," +
                        QByteArray::number(50 + i) + "\n";
        const WorkloadSummary log = summary(text);
        QVERIFY2(fact(log, "Clock").contains("grid of " + formatSeconds(1)), qPrintable(fact(log, "Clock")));
        QVERIFY2(fact(log, "Burstiness").contains("CV of the gaps"), qPrintable(fact(log, "Burstiness")));
        QVERIFY(fact(log, "Rank correlation").startsWith("1.00"));
    }

    void percentilesAndRefusedRowsAreTables()
    {
        QByteArray text = "prompt_tokens,completion_tokens\n";
        for (int i = 1; i <= 100; ++i)
            text += QByteArray::number(i * 10) + "," + QByteArray::number(i) + "\n";
        text += "x,1\n5,\n";
        const WorkloadSummary log = summary(text);
        const Table table = lengthPercentiles(log.stats);
        QCOMPARE(table.rows[0][2].text, QString("500")); // p50, nearest rank
        QCOMPARE(table.rows[0][4].text, QString("990")); // p99
        QCOMPARE(table.rows[1][6].text, QString("51"));  // mean 50.5
        QCOMPARE(refusedRows(log).rows.size(), 2);
        QCOMPARE(refusedRows(log).rows[0][1].text, QString("prompt"));
        const QString words = refusedInWords(log);
        QVERIFY2(words.contains("2 row(s) refused: 1 empty value, 1 not an integer"), qPrintable(words));
        QVERIFY2(fact(log, "Columns").contains("output ← completion_tokens"),
                 qPrintable(fact(log, "Columns")));
        QVERIFY(refusedInWords(WorkloadSummary()).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestWorkloadText)
#include "tst_workload_text.moc"
