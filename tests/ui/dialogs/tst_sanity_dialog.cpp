// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/sanity_dialog.h"
#include "ui_helpers.h"

#include <QComboBox>
#include <QLineEdit>
#include <QLocale>
#include <QTabWidget>
#include <QTest>
#include <QTextBrowser>

using namespace tailmark;
using namespace tailmark::ui;
using namespace tailmark::test;

class TestSanityDialog : public QObject
{
    Q_OBJECT

    QString findings(const SanityDialog& dialog) { return dialog.findChild<QTextBrowser*>()->toPlainText(); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void aClaimIsTakenApartWhileTyping()
    {
        BoundInput bound;
        bound.accelerator = "h100-sxm";
        bound.model = "llama-3.1-8b";
        SanityDialog dialog(bound);
        showActive(dialog);
        QVERIFY(findings(dialog).isEmpty());
        QVERIFY(named<QComboBox>(dialog, "Accelerator")->currentText().contains("H100"));
        typeInto(named<QLineEdit>(dialog, "The figure, as it was written or said"), "8,400 tok/s at concurrency 96");
        QVERIFY(anyLabel(dialog, "Understood:"));
        QVERIFY2(findings(dialog).contains("What it implies"), qPrintable(findings(dialog)));
        QVERIFY(findings(dialog).contains("What it leaves out")); // the latency it was had at
        QVERIFY(!findings(dialog).contains("Cannot be"));
        typeInto(named<QLineEdit>(dialog, "The figure, as it was written or said"), "900,000 tok/s at concurrency 1");
        QVERIFY2(findings(dialog).contains("Cannot be"), qPrintable(findings(dialog)));
        typeInto(named<QLineEdit>(dialog, "The figure, as it was written or said"), "8,4 tok/s");
        QVERIFY(anyLabel(dialog, "Not certain: 8,4 is no number"));
        QVERIFY(findings(dialog).isEmpty());
        typeInto(named<QLineEdit>(dialog, "The figure, as it was written or said"), "very fast");
        QVERIFY(findings(dialog).isEmpty());
        QVERIFY(anyLabel(dialog, "Nothing of this was understood."));
    }

    void calculatorsAnswerWhileTyping()
    {
        SanityDialog dialog({});
        showActive(dialog);
        dialog.findChild<QTabWidget*>()->setCurrentIndex(1);
        typeInto(named<QLineEdit>(dialog, "Users"), "32");
        typeInto(named<QLineEdit>(dialog, "Response, s"), "1.5");
        typeInto(named<QLineEdit>(dialog, "Think time, s"), "0.5");
        QVERIFY(anyLabel(dialog, "16")); // 32 / (1.5 + 0.5)
        typeInto(named<QLineEdit>(dialog, "Offered, /s"), "24");
        typeInto(named<QLineEdit>(dialog, "Completed, /s"), "16");
        typeInto(named<QLineEdit>(dialog, "For, s"), "60");
        QVERIFY(anyLabel(dialog, "480")); // (24 − 16) × 60
        typeInto(named<QLineEdit>(dialog, "Rounds before"), "5/0.010 5/0.040");
        QVERIFY(anyLabel(dialog, "200")); // 10 tokens in 50 ms
    }
};

QTEST_MAIN(TestSanityDialog)
#include "tst_sanity_dialog.moc"
