// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_preview.h"
#include "pages/table_view.h"
#include "pages/trace_import_dialog.h"
#include "patience.h"
#include "ui_helpers.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;
using namespace tailmark::test;

class TestTraceImportDialog : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<TraceImportDialog> m_dialog;

    QString file(const QByteArray& text)
    {
        QFile file(m_folder.filePath("log.csv"));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName();
    }
    std::string database() { return m_folder.filePath("runs.sqlite").toStdString(); }
    void open(const QByteArray& text)
    {
        m_dialog = std::make_unique<TraceImportDialog>(file(text), database());
        showActive(*m_dialog);
    }
    void choose(const QString& combo, const QString& column)
    {
        auto* choice = named<QComboBox>(*m_dialog, combo);
        QVERIFY2(choice, qPrintable(combo));
        TRY_VERIFY(choice->findData(column) > 0);
        choice->setCurrentIndex(choice->findData(column));
        emit choice->activated(choice->currentIndex());
    }
    QPushButton* use() { return buttonWithText(*m_dialog, "Use as lengths"); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void cleanup() { m_dialog.reset(); }

    void columnsOfAnUnknownTableAreChosen()
    {
        open("when;wanted;got\n5;512;64\n9;640;x\n12;768;96\n");
        TRY_VERIFY(anyLabel(*m_dialog, "no_header"));
        QVERIFY(!use()->isEnabled());
        choose("Prompt tokens", "wanted");
        choose("Output tokens", "got");
        TRY_VERIFY(use()->isEnabled());
        QVERIFY(anyLabel(*m_dialog, "2 rows are accepted, 1 refused"));
        auto* samples = named<TableView>(*m_dialog, "First rows of the file");
        QVERIFY(samples);
        TRY_COMPARE(samples->tableModel().table().columns[1].title, QString("wanted → prompt"));
        auto* percentiles = named<TableView>(*m_dialog, "Percentiles of the lengths");
        QVERIFY(percentiles);
        QCOMPARE(percentiles->tableModel().table().rows[0][1].text, QString("512"));
        QCOMPARE(percentiles->tableModel().table().rows[1][5].text, QString("96"));

        QSignalSpy accepted(m_dialog.get(), &QDialog::accepted);
        use()->click();
        TRY_COMPARE(accepted.size(), 1);
        QCOMPARE(m_dialog->lengths().kind, LengthsKind::Trace);
        QCOMPARE(m_dialog->lengths().hash.size(), std::size_t(64));
        // The file alone says nothing: the rows are those that were kept.
        const auto kept = summariseLengths(m_dialog->lengths(), database());
        QVERIFY2(kept.ok(), kept.ok() ? "" : kept.error().line().c_str());
        QCOMPARE(kept.value().rows, std::uint64_t(2));
        QCOMPARE(kept.value().stats.prompt.max, std::int64_t(768));
        QVERIFY(!kept.value().remark.empty());
    }

    void refusedRowsAreListed()
    {
        open("prompt_tokens,completion_tokens\n512,64\nmany,64\n640,0\n");
        TRY_VERIFY(use()->isEnabled());
        auto* fold = [this]() -> QAbstractButton* {
            for (QAbstractButton* button : m_dialog->findChildren<QAbstractButton*>())
                if (button->text().contains("refused:"))
                    return button;
            return nullptr;
        }();
        QVERIFY(fold);
        fold->click();
        auto* refused = named<TableView>(*m_dialog, "Refused rows");
        QVERIFY(refused);
        QCOMPARE(refused->tableModel().rowCount(), 2);
        QCOMPARE(refused->tableModel().table().rows[0][0].text, QString("3"));
        QCOMPARE(refused->tableModel().table().rows[0][2].text, QString("not an integer"));
    }

    void conversationsHaveNoColumnsToChoose()
    {
        open("[{\"conversations\": [{\"from\": \"human\", \"value\": \"hello there\"}, {\"from\": \"gpt\", "
             "\"value\": \"good day\"}]}]");
        TRY_VERIFY(use()->isEnabled());
        TRY_VERIFY(!named<QComboBox>(*m_dialog, "Prompt tokens")->isEnabled());
    }

    void readingCanBeStoppedAndBegunAgain()
    {
        QByteArray text = "prompt_tokens,completion_tokens\n";
        for (int i = 0; i < 300'000; ++i)
            text += "512,64\n";
        m_dialog = std::make_unique<TraceImportDialog>(file(text), database());
        showActive(*m_dialog);
        QPushButton* stop = buttonWithText(*m_dialog, "S&top reading");
        QVERIFY(stop);
        stop->click();
        QVERIFY(anyLabel(*m_dialog, "stopped"));
        QVERIFY(!use()->isEnabled());
        stop->click();
        TRY_VERIFY(use()->isEnabled());
    }
};

QTEST_MAIN(TestTraceImportDialog)
#include "tst_trace_import_dialog.moc"
