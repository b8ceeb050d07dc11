// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "workload/trace/trace_head.h"

using namespace tailmark;

class TestTraceHead : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const QByteArray& text)
    {
        QFile file(m_folder.filePath("log"));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName().toStdString();
    }

private slots:
    void aTableTellsItsColumnsAndTheGuess()
    {
        const auto head =
            readTraceHead(file("when_ms;asked;usage_prompt;usage_completion\n10;x;512;64\n20;y;640;\n"));
        QVERIFY(head.ok());
        QVERIFY(!head.value().nested);
        QCOMPARE(head.value().columns.size(), std::size_t(4));
        QCOMPARE(head.value().columns[2].name, std::string("usage_prompt"));
        QCOMPARE(head.value().columns[3].samples, (std::vector<std::string>{"64", ""}));
        QVERIFY(!head.value().guessed.contains(Field::Prompt)); // no name that is known
        TraceOptions options;
        options.columns = {{Field::Prompt, "usage_prompt"},
                           {Field::Output, "usage_completion"},
                           {Field::Timestamp, "when_ms"}};
        const auto named =
            readTraceHead(file("when_ms;asked;usage_prompt;usage_completion\n10;x;512;64\n"), options);
        QVERIFY(named.ok());
        QCOMPARE(named.value().guessed.at(Field::Output), std::string("usage_completion"));
        QVERIFY(named.value().timeUnit == TimeUnit::Milliseconds);
    }

    void jsonLinesTellPaths()
    {
        const auto head =
            readTraceHead(file("{\"ts\": 1.5, \"usage\": {\"prompt_tokens\": 7, \"completion_tokens\": 3}}\n"
                               "{\"ts\": 2, \"usage\": {\"prompt_tokens\": 9}}\n"));
        QVERIFY(head.ok());
        QStringList names;
        for (const TraceColumn& column : head.value().columns)
            names << QString::fromStdString(column.name);
        names.sort();
        QCOMPARE(names, QStringList({"ts", "usage.completion_tokens", "usage.prompt_tokens"}));
        QCOMPARE(head.value().guessed.at(Field::Prompt), std::string("usage.prompt_tokens"));
    }

    void conversationsHaveNothingToChoose()
    {
        const auto head =
            readTraceHead(file("[{\"conversations\": [{\"from\": \"human\", \"value\": \"hello\"}, "
                               "{\"from\": \"gpt\", \"value\": \"good day\"}]}]"));
        QVERIFY(head.ok());
        QVERIFY(head.value().nested);
        QVERIFY(head.value().guessed.empty());
    }

    void aMissingFileIsAnError()
    {
        const auto head = readTraceHead(m_folder.filePath("none.csv").toStdString());
        QVERIFY(!head.ok());
        QVERIFY(QString::fromStdString(head.error().line()).contains("none.csv"));
    }

    void longAndBrokenTextsAreCut()
    {
        const QByteArray text = QByteArray("prompt_tokens,note\n5,") + QByteArray("ä").repeated(200) + "\n";
        const auto head = readTraceHead(file(text));
        QVERIFY(head.ok());
        const QString sample = QString::fromStdString(head.value().columns[1].samples.at(0));
        QVERIFY(sample.size() <= 61);
        QVERIFY(sample.endsWith(QChar(0x2026)));
        QVERIFY(!sample.contains(QChar::ReplacementCharacter));
        const auto empty = readTraceHead(file(""));
        QVERIFY(empty.ok());
        QVERIFY(empty.value().columns.empty());
    }
};

QTEST_GUILESS_MAIN(TestTraceHead)
#include "tst_trace_head.moc"
