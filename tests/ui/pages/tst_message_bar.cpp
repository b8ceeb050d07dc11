// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/message_bar.h"

#include "patience.h"
#include "ui_helpers.h"

#include <QTest>
#include <QTimer>
#include <QToolButton>

using namespace tailmark;
using namespace tailmark::ui;

class TestMessageBar : public QObject
{
    Q_OBJECT

private slots:
    void staysAsLongAsItIsToldTo()
    {
        MessageBar brief(MessageBar::Stay::AWhile);
        auto* end = brief.findChild<QTimer*>();
        QVERIFY(end && brief.isHidden());
        brief.show(MessageBar::Kind::Ok, QStringLiteral("written"));
        QVERIFY(brief.isVisible() && end->isActive());
        brief.show(MessageBar::Kind::Error, QStringLiteral("not written"));
        QVERIFY(!end->isActive()); // nobody may have looked yet
        brief.show(MessageBar::Kind::Info, QStringLiteral("deleted"));
        end->start(0);
        TRY_VERIFY(brief.isHidden());

        MessageBar lasting(MessageBar::Stay::UntilClosed);
        lasting.show(MessageBar::Kind::Ok, QStringLiteral("the run is done"));
        QVERIFY(!lasting.findChild<QTimer*>()->isActive());
        QTest::mouseClick(lasting.findChild<QToolButton*>(), Qt::LeftButton);
        QVERIFY(lasting.isHidden());
    }

    void offersOneThingOnce()
    {
        MessageBar bar(MessageBar::Stay::UntilClosed);
        int done = 0;
        bar.show(MessageBar::Kind::Info, QStringLiteral("Deleted <b>x</b>"), QStringLiteral("Undo"),
                 [&] { ++done; });
        QCOMPARE(bar.text(), QStringLiteral("Deleted <b>x</b>"));
        QVERIFY(bar.button()->isVisible());
        QTest::mouseClick(bar.button(), Qt::LeftButton);
        QCOMPARE(done, 1);
        QVERIFY(bar.isHidden());
        bar.button()->click();
        QCOMPARE(done, 1);
        bar.show(MessageBar::Kind::Info, QStringLiteral("nothing to do"));
        QVERIFY(!bar.button()->isVisible());
    }
};

QTEST_MAIN(TestMessageBar)
#include "tst_message_bar.moc"
