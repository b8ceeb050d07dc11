// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the tree and holds the layer rule of core/README.md, so that a wrong include fails a test, not a
// review.
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

const QString kRoot = QStringLiteral(TAILMARK_SOURCE_DIR);

/// What the files of each folder of core/ may include from others. Everything may include itself and base.
const QMap<QString, QSet<QString>>& allowed()
{
    static const QMap<QString, QSet<QString>> table = {
        {"base", {}},
        {"record", {}},
        {"plan", {"record"}},
        {"workload", {"record", "plan", "schedule"}},
        {"schedule", {"record", "plan"}},
        {"target", {"record", "plan", "workload", "schedule"}},
        {"load", {"record", "plan", "workload", "schedule", "target"}},
        {"store", {"record", "plan"}},
        {"foreign", {"record", "plan", "store"}},
        {"analysis", {"record", "plan"}},
        {"report", {"record", "plan", "workload", "target", "store", "analysis"}},
        {"run", {"record", "plan", "workload", "schedule", "target", "load", "store", "analysis", "report"}},
        {"sim", {}},
    };
    return table;
}

/// Likewise for ui/. Models and bridge need QtCore only; charts know nothing of pages; pages nothing of the
/// shell.
const QMap<QString, QSet<QString>>& allowedUi()
{
    static const QMap<QString, QSet<QString>> table = {
        {"bridge", {}},
        {"models", {"bridge"}},
        {"style", {}},
        {"charts", {"models", "style"}},
        {"dialogs", {"models", "bridge", "style", "charts"}},
        {"pages", {"models", "bridge", "style", "charts", "dialogs"}},
        {"shell", {"models", "bridge", "style", "charts", "dialogs", "pages"}},
    };
    return table;
}

QStringList sources(const QString& folder)
{
    QStringList files;
    QDirIterator it(kRoot + '/' + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        files << it.next();
    files.sort();
    return files;
}

struct Include
{
    QString path;
    bool quoted;
    int line;
};

QList<Include> includesOf(const QString& file)
{
    QFile f(file);
    if (!f.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    QList<Include> found;
    int line = 0;
    while (!f.atEnd()) {
        ++line;
        const auto match = pattern.match(QString::fromUtf8(f.readLine()));
        if (match.hasMatch())
            found.append({match.captured(2), match.captured(1) == "\"", line});
    }
    return found;
}

QString place(const QString& file, const Include& include)
{
    return QStringLiteral("%1:%2 includes %3")
        .arg(QDir(kRoot).relativeFilePath(file))
        .arg(include.line)
        .arg(include.path);
}

} // namespace

class TestLayers : public QObject
{
    Q_OBJECT

private slots:
    void coreIncludesGoOneWay()
    {
        QStringList wrong;
        for (const QString& file : sources("core")) {
            const QString layer = QDir(kRoot + "/core").relativeFilePath(file).section('/', 0, 0);
            QVERIFY2(allowed().contains(layer), qPrintable("no rule for core/" + layer));
            for (const Include& include : includesOf(file)) {
                if (!include.quoted)
                    continue;
                const QString other = include.path.section('/', 0, 0);
                if (other != layer && other != "base" && !allowed()[layer].contains(other))
                    wrong << place(file, include);
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void coreAndItsProgramsKnowNoQt()
    {
        static const QRegularExpression qt("^Q[A-Z]|^Qt|^qt");
        QStringList wrong;
        for (const QString& file : sources("core") + sources("app/cli") + sources("app/sim"))
            for (const Include& include : includesOf(file))
                if (!include.quoted && include.path.contains(qt))
                    wrong << place(file, include);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void uiIncludesGoOneWay()
    {
        QStringList wrong;
        for (const QString& file : sources("ui")) {
            const QString layer = QDir(kRoot + "/ui").relativeFilePath(file).section('/', 0, 0);
            QVERIFY2(allowedUi().contains(layer), qPrintable("no rule for ui/" + layer));
            for (const Include& include : includesOf(file)) {
                if (!include.quoted || include.path == QFileInfo(file).completeBaseName() + ".moc")
                    continue;
                const QString other = include.path.section('/', 0, 0);
                if (allowed().contains(other)) {
                    if (other == "sim" || other == "load")
                        wrong << place(file, include);
                } else if (other != layer && !allowedUi()[layer].contains(other)) {
                    wrong << place(file, include);
                }
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void modelsAndBridgeNeedQtCoreOnly()
    {
        static const QRegularExpression widgets(
            "^Qt(Widgets|Gui|Charts|Svg)|^Q(Widget|Application|Painter|Color|Icon|Chart)");
        QStringList wrong;
        for (const QString& file : sources("ui/models") + sources("ui/bridge"))
            for (const Include& include : includesOf(file))
                if (include.path.contains(widgets))
                    wrong << place(file, include);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void everyFileHasItsLicenceLine()
    {
        QStringList wrong;
        for (const QString& file : sources("core") + sources("app") + sources("ui") + sources("tests")) {
            QFile f(file);
            QVERIFY(f.open(QIODevice::ReadOnly));
            if (!f.readLine().contains("SPDX-License-Identifier: GPL-3.0-or-later"))
                wrong << file;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
};

QTEST_GUILESS_MAIN(TestLayers)
#include "tst_layers.moc"
