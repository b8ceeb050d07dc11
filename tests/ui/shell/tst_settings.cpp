// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark::ui;

class TestSettings : public QObject
{
    Q_OBJECT

private slots:
    void keepsPreferences()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath("s.ini");
        {
            Settings settings(file);
            QCOMPARE(settings.theme(), ThemeChoice::System);
            QVERIFY(settings.notifyAtEnd());
            QCOMPARE(settings.lastPage(), -1);
            settings.setTheme(ThemeChoice::Dark);
            settings.setNotifyAtEnd(false);
            settings.setLastPage(2);
            settings.setLayout("window", "abc");
        }
        Settings settings(file);
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QVERIFY(!settings.notifyAtEnd());
        QCOMPARE(settings.lastPage(), 2);
        QCOMPARE(settings.layout("window"), QByteArray("abc"));
    }

    void theLastTenFilesAreRemembered()
    {
        QTemporaryDir folder;
        Settings settings(folder.filePath("s.ini"));
        QStringList paths;
        for (int i = 0; i < 12; ++i) {
            const QString path = folder.filePath(QString::number(i));
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            settings.addRecentMatrix(path);
            paths.prepend(path);
        }
        QCOMPARE(settings.recentMatrices(), paths.mid(0, 10));
        settings.addRecentMatrix(paths[3]);
        QCOMPARE(settings.recentMatrices().constFirst(), paths[3]);
        QCOMPARE(settings.recentMatrices().size(), 10);
        QVERIFY(QFile::remove(paths[3]));
        QVERIFY(!settings.recentMatrices().contains(paths[3]));
        settings.clearRecentMatrices();
        QVERIFY(settings.recentMatrices().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
