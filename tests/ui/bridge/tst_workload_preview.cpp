// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_preview.h"

#include "patience.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

class TestWorkloadPreview : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string trace(const QByteArray& text)
    {
        QFile file(m_folder.filePath("trace.csv"));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName().toStdString();
    }

private slots:
    void fixedLengthsAreKnownAtOnce()
    {
        WorkloadPreview preview;
        Lengths lengths;
        lengths.promptTokens = 800;
        lengths.outputTokens = 100;
        preview.setLengths(lengths);
        QVERIFY(preview.summary().has_value());
        QCOMPARE(preview.summary()->stats.prompt.p99, std::int64_t(800));
        QCOMPARE(preview.summary()->meanTokens(), 900.0);
        QCOMPARE(preview.summary()->rows, std::uint64_t(0));
    }

    void aTraceIsReadInTheBackground()
    {
        QByteArray text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
        for (int i = 1; i <= 100; ++i)
            text += "2023-11-16 18:15:" + QByteArray::number(i % 60).rightJustified(2, '0') + ".0000000," +
                    QByteArray::number(i * 10) + "," + QByteArray::number(i) + "\n";
        text += "2023-11-16 18:16:00.0000000,none,3\n";
        WorkloadPreview preview;
        Lengths lengths;
        lengths.kind = LengthsKind::Trace;
        lengths.file = trace(text);
        preview.setLengths(lengths);
        QVERIFY(preview.reading());
        QVERIFY(!preview.summary().has_value());
        TRY_VERIFY(preview.summary().has_value());
        QCOMPARE(preview.summary()->rows, std::uint64_t(100));
        QCOMPARE(preview.summary()->stats.prompt.p50, std::int64_t(500)); // nearest rank of 10, 20 … 1000
        QCOMPARE(preview.summary()->stats.prompt.p90, std::int64_t(900));
        QCOMPARE(preview.summary()->stats.output.p99, std::int64_t(99));
        QCOMPARE(preview.summary()->meanTokens(), 505 + 50.5);
        QCOMPARE(preview.summary()->rejected.size(), std::size_t(1));
        QCOMPARE(preview.summary()->rejected[0].line, 102);
    }

    void aFileThatIsNoTraceIsSaidSo()
    {
        WorkloadPreview preview;
        Lengths lengths;
        lengths.kind = LengthsKind::Trace;
        lengths.file = m_folder.filePath("missing.csv").toStdString();
        preview.setLengths(lengths);
        TRY_VERIFY(!preview.error().isEmpty());
        QVERIFY(preview.error().contains("missing.csv"));
        lengths.kind = LengthsKind::Fixed;
        preview.setLengths(lengths);
        QVERIFY(preview.error().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestWorkloadPreview)
#include "tst_workload_preview.moc"
