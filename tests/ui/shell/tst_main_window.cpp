// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_program.h"
#include "pages/message_bar.h"
#include "pages/plan_fields.h"
#include "pages/trace_import_dialog.h"
#include "patience.h"
#include "run_events.h"
#include "shell/english_plurals.h"
#include "shell/main_window.h"
#include "shell/settings.h"
#include "shell/status_panel.h"
#include "style/icons.h"
#include "ui_helpers.h"

#include <QAbstractButton>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace tailmark;
using namespace tailmark::ui;
using namespace tailmark::test;

namespace {

constexpr int kLimitMs = 20'000;

/// Presses a button of the message box that is about to open.
void answerNextBox(QMessageBox::StandardButton button, bool accept = false)
{
    QTimer::singleShot(0, qApp, [button, accept] {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* box = qobject_cast<QMessageBox*>(widget)) {
                for (QAbstractButton* each : box->buttons())
                    if (accept ? box->buttonRole(each) == QMessageBox::AcceptRole
                               : box->standardButton(each) == button) {
                        each->click();
                        return;
                    }
            }
    });
}

} // namespace

class TestMainWindow : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<FakeProgram> m_engine;
    std::unique_ptr<FakeProgram> m_simulator;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<MainWindow> m_window;

    QString file(const QString& name) const { return m_folder->filePath(name); }
    QAction* action(const QString& text)
    {
        for (QAction* each : m_window->actions())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
    int page() { return m_window->findChild<QStackedWidget*>()->currentIndex(); }
    QString message()
    {
        auto* bar = m_window->centralWidget()->findChild<MessageBar*>(QString(), Qt::FindDirectChildrenOnly);
        return bar->isVisibleTo(m_window.get()) ? bar->text() : QString();
    }
    void makeWindow()
    {
        m_window.reset();
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        WindowOptions options;
        options.database = file("runs.sqlite");
        options.recoveryFolder = file("recovery");
        options.engine = m_engine->path();
        options.simulator = m_simulator->path();
        m_window = std::make_unique<MainWindow>(*m_settings, *m_theme, options);
    }
    void saveSample(const QString& path, const std::string& name = "Sample")
    {
        PlanDocument document;
        Matrix matrix;
        matrix.name = name;
        matrix.tests.emplace_back();
        document.reset(matrix, {});
        QVERIFY(document.save(path).ok());
    }
    void change()
    {
        m_window->document().edit("Seed", {}, [](Matrix& m) { m.workload.seed += 1; });
    }
    void startRun()
    {
        m_engine->write("begin",
                        eventLine(someRun()) + eventLine(somePoint(0)) + eventLine(someProgress(0, 45)));
        m_engine->write("end", eventLine(RunFinished{RunId{7}, "cancelled", 0, 2, ""}));
        m_window->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->controller().latestProgress().has_value(), kLimitMs);
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_engine = std::make_unique<FakeProgram>(
            "cat $DIR/begin\nwhile read line; do [ \"$line\" = stop ] && { cat $DIR/end; exit 0; }; done\n");
        m_simulator = std::make_unique<FakeProgram>("echo http://127.0.0.1:4242/v1\nexec cat\n");
        m_theme = std::make_unique<Theme>();
        makeWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_theme.reset();
    }

    void startsOnTheStartPage()
    {
        showActive(*m_window);
        m_window->restoreSession();
        QCOMPARE(page(), int(MainWindow::WelcomePageIndex));
        QVERIFY(!m_window->isWindowModified());
        QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(page(), int(MainWindow::ResultsPageIndex));
        for (const auto& [key, index] :
             {std::pair(Qt::Key_1, 1), std::pair(Qt::Key_2, 2), std::pair(Qt::Key_4, 4)}) {
            QTest::keyClick(m_window.get(), key, Qt::ControlModifier);
            QCOMPARE(page(), index);
        }
    }

    void everyActionIsInAMenu()
    {
        QSet<QAction*> inMenus;
        for (const QAction* top : m_window->menuBar()->actions())
            for (QAction* each : top->menu()->actions())
                inMenus << each;
        QList<QKeySequence> keys;
        for (QAction* each : m_window->actions()) {
            QVERIFY2(inMenus.contains(each), qPrintable(each->text()));
            if (!each->shortcut().isEmpty()) {
                QVERIFY2(!keys.contains(each->shortcut()), qPrintable(each->text()));
                keys << each->shortcut();
            }
        }
        QVERIFY(keys.contains(QKeySequence(QKeySequence::Save)));
    }

    void opensAMatrixAndRemembersIt()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        QCOMPARE(page(), int(MainWindow::PlanPageIndex));
        QVERIFY2(m_window->windowTitle().startsWith("a.tailmark.json[*]"),
                 qPrintable(m_window->windowTitle()));
        m_window->showPage(MainWindow::ComparePageIndex);
        m_window->close();
        makeWindow();
        m_window->restoreSession();
        QCOMPARE(m_window->document().matrix().name, "Sample");
        QCOMPARE(page(), int(MainWindow::ComparePageIndex));
        QCOMPARE(m_settings->recentMatrices(), QStringList{file("a.tailmark.json")});
    }

    void aFileThatCannotBeOpenedIsSaidSo()
    {
        QFile bad(file("bad.tailmark.json"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("{\"schema_version\": 1, \"targt\": {}}");
        bad.close();
        m_window->show();
        QVERIFY(!m_window->openMatrix(bad.fileName()));
        QVERIFY2(message().contains("targt"), qPrintable(message()));
    }

    void aFileWithWrongValuesIsOpenedToBeMended()
    {
        QFile bad(file("bad.tailmark.json"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("{\"schema_version\": 1, \"measurement\": {\"repeats\": 0, \"duration_s\": -1}}");
        bad.close();
        QVERIFY(m_window->openMatrix(bad.fileName()));
        QStringList wrong;
        for (const Finding& finding : m_window->document().findings())
            wrong << QString::fromStdString(finding.path);
        QVERIFY(wrong.contains("measurement.repeats") && wrong.contains("measurement.duration_s"));
        QVERIFY(!m_window->isWindowModified());
        QVERIFY(!action("Start")->isEnabled());
    }

    void changesAreMarkedAndSaved()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        showActive(*m_window);
        change();
        QVERIFY(m_window->isWindowModified());
        QTest::keyClick(m_window.get(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!m_window->isWindowModified());
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_window->isWindowModified());
        QCOMPARE(m_window->document().matrix().workload.seed, std::uint64_t(1));
    }

    void undoInAFieldIsTheMatrixsOwn()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        showActive(*m_window);
        change();
        auto* repeats = named<PlanLineEdit>(*m_window, "Repeats");
        QVERIFY(repeats);
        typeInto(repeats, "9");
        QTest::keyClick(repeats, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(m_window->document().matrix().measurement.repeats, 1);
        QCOMPARE(repeats->text(), "1");
        QTest::keyClick(repeats, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(m_window->document().matrix().workload.seed, std::uint64_t(1));
    }

    void wrongValuesAreNotSaved()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        m_window->show();
        m_window->document().edit("Window", {}, [](Matrix& m) { m.measurement.durationS = -1; });
        action("Save")->trigger();
        QVERIFY(m_window->isWindowModified());
        QVERIFY2(message().contains("measurement.duration_s"), qPrintable(message()));
    }

    void closingAsksForUnsavedChanges()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        m_window->show();
        change();
        answerNextBox(QMessageBox::Cancel);
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        answerNextBox(QMessageBox::Save);
        QVERIFY(m_window->close());
        PlanDocument saved;
        QVERIFY(saved.load(file("a.tailmark.json")).ok());
        QCOMPARE(saved.matrix().workload.seed, std::uint64_t(2));
    }

    void unsavedChangesSurviveACrash()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        change();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("recovery/unsaved.tailmark.json")), kLimitMs);
        makeWindow(); // the old one goes without being closed
        m_window->restoreSession();
        QCOMPARE(m_window->document().matrix().workload.seed, std::uint64_t(2));
        QVERIFY(m_window->isWindowModified());
        QCOMPARE(m_window->document().path(), file("a.tailmark.json"));
        m_window->show();
        answerNextBox(QMessageBox::Discard);
        QVERIFY(m_window->close());
        makeWindow();
        m_window->restoreSession();
        QCOMPARE(m_window->document().matrix().workload.seed, std::uint64_t(1));
    }

    /// Opening a file must not take the place of what is to be brought back.
    void unsavedChangesAreOfferedBesideAFile()
    {
        saveSample(file("a.tailmark.json"));
        saveSample(file("b.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        change();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("recovery/unsaved.tailmark.json")), kLimitMs);
        makeWindow();
        QVERIFY(m_window->openMatrix(file("b.tailmark.json")));
        m_window->offerRecovery();
        m_window->show();
        QTest::qWait(2'500); // longer than a copy waits for
        QVERIFY(QFile::exists(file("recovery/unsaved.tailmark.json")));
        QVERIFY2(message().contains("unsaved changes"), qPrintable(message()));
        m_window->centralWidget()
            ->findChild<MessageBar*>(QString(), Qt::FindDirectChildrenOnly)
            ->button()
            ->click();
        QCOMPARE(m_window->document().matrix().workload.seed, std::uint64_t(2));
        QCOMPARE(m_window->document().path(), file("a.tailmark.json"));
        QVERIFY(m_window->isWindowModified());
    }

    void everyWindowKeepsItsOwnUnsavedChanges()
    {
        saveSample(file("a.tailmark.json"));
        saveSample(file("b.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        WindowOptions options;
        options.database = file("runs.sqlite");
        options.recoveryFolder = file("recovery");
        auto second = std::make_unique<MainWindow>(*m_settings, *m_theme, options);
        QVERIFY(second->openMatrix(file("b.tailmark.json")));
        second->document().edit("Seed", {}, [](Matrix& m) { m.workload.seed = 22; });
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("recovery/unsaved-2.tailmark.json")), kLimitMs);
        second.reset();
        second = std::make_unique<MainWindow>(*m_settings, *m_theme, options);
        second->restoreSession();
        QCOMPARE(second->document().matrix().workload.seed, std::uint64_t(22));
        QCOMPARE(second->document().path(), file("b.tailmark.json"));
        QCOMPARE(m_window->document().path(), file("a.tailmark.json"));
    }

    void aFieldWithoutAValueIsNotSaved()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        showActive(*m_window);
        change();
        auto* repeats = named<PlanLineEdit>(*m_window, "Repeats");
        QVERIFY(repeats);
        typeInto(repeats, "abc");
        action("Save")->trigger();
        QVERIFY(m_window->isWindowModified());
        QVERIFY2(message().contains("Not saved: measurement.repeats: a whole number is expected"),
                 qPrintable(message()));
        typeInto(repeats, "4");
        action("Save")->trigger();
        QVERIFY(!m_window->isWindowModified());
    }

    /// A comparison is offered of a pair of which neither failed; else what failed is said.
    void aPairIsComparedUnlessOneFailed()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        showActive(*m_window);
        RunStarted second = someRun();
        second.run = RunId{8};
        const auto line = [](const RunEvent& event, Side side) {
            return QByteArray::fromStdString(eventToLine(event, side)) + '\n';
        };
        const auto offered = [&](const RunFinished& ofA, const RunFinished& ofB) {
            m_engine->write("begin", line(someRun(), Side::A) + line(second, Side::B));
            m_engine->write("end", line(ofB, Side::B) + line(ofA, Side::A));
            m_window->startRun();
            if (!QTest::qWaitFor([&] { return m_window->controller().partner().has_value(); }, kLimitMs))
                return QString();
            m_window->controller().stop();
            if (!QTest::qWaitFor([&] { return !m_window->controller().isActive(); }, kLimitMs))
                return QString();
            return m_window->centralWidget()
                ->findChild<MessageBar*>(QString(), Qt::FindDirectChildrenOnly)
                ->button()
                ->text();
        };
        QCOMPARE(offered(RunFinished{RunId{7}, "done", 2, 2, ""}, RunFinished{RunId{8}, "done", 2, 2, ""}),
                 "Compare the two");
        QCOMPARE(offered(RunFinished{RunId{7}, "done", 2, 2, ""},
                         RunFinished{RunId{8}, "failed", 0, 2, "B hung up"}),
                 "Show the results");
        QVERIFY2(message().contains("The run on the second target failed: B hung up"), qPrintable(message()));
        QCOMPARE(offered(RunFinished{RunId{7}, "failed", 0, 2, "A hung up"},
                         RunFinished{RunId{8}, "done", 2, 2, ""}),
                 "Show the results");
        QVERIFY2(message().contains("A hung up"), qPrintable(message()));
    }

    void aRunIsShownAndCanBeStopped()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        showActive(*m_window);
        QVERIFY(!action("Stop")->isEnabled());
        startRun();
        QCOMPARE(page(), int(MainWindow::RunPageIndex));
        QVERIFY(!action("Start")->isEnabled());
        QVERIFY(action("Stop")->isEnabled());
        QVERIFY(action("Skip this point")->isEnabled());
        QStringList said;
        for (const QLabel* label : m_window->findChild<StatusPanel*>()->findChildren<QLabel*>())
            said << label->text();
        QVERIFY2(said.contains("Point 1 of 2 · 45 s left"), qPrintable(said.join('|')));
        QVERIFY2(said.contains("Generator: lag p99 0.4 ms · 0.25 cores"), qPrintable(said.join('|')));
        QTest::keyClick(m_window.get(), Qt::Key_F8);
        QCOMPARE(m_window->controller().state(), RunController::State::Pausing);
        QVERIFY(action("Pause after this point")->isChecked());
        QTest::keyClick(m_window.get(), Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->controller().isActive(), kLimitMs);
        QVERIFY2(message().contains("stopped"), qPrintable(message()));
        QVERIFY(action("Start")->isEnabled());
        // The target of the matrix is another one than that of the run; then it is that.
        const auto target = [this] {
            for (const QLabel* label : m_window->findChild<StatusPanel*>()->findChildren<QLabel*>())
                if (label->accessibleName().startsWith("Target"))
                    return label->text();
            return QString();
        };
        QVERIFY2(target().contains("not probed"), qPrintable(target()));
        m_window->document().edit("URL", {}, [](Matrix& m) { m.target.baseUrl = someRun().target; });
        QCOMPARE(target(), "sim · m");
    }

    void closingDuringARunAsks()
    {
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        m_window->show();
        startRun();
        answerNextBox(QMessageBox::Cancel);
        QVERIFY(!m_window->close());
        QVERIFY(m_window->controller().isActive());
        answerNextBox(QMessageBox::NoButton, true);
        QVERIFY(m_window->close());
    }

    void anEngineThatRefusesIsSaidSo()
    {
        m_engine = std::make_unique<FakeProgram>("echo 'target.base_url: cannot be reached' >&2\nexit 3\n");
        makeWindow();
        saveSample(file("a.tailmark.json"));
        QVERIFY(m_window->openMatrix(file("a.tailmark.json")));
        m_window->show();
        m_window->startRun();
        QTRY_VERIFY2_WITH_TIMEOUT(message().contains("cannot be reached"), qPrintable(message()), kLimitMs);
    }

    void theDemoRunsItsMatrixOnTheSimulator()
    {
        m_engine->write("begin",
                        eventLine(someRun()) + eventLine(somePoint(0)) + eventLine(someProgress(0, 45)));
        m_window->show();
        m_window->startDemo();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->controller().latestProgress().has_value(), kLimitMs);
        QCOMPARE(m_window->document().matrix().target.baseUrl, "http://127.0.0.1:4242/v1");
        QVERIFY(m_window->document().runnable());
        QCOMPARE(page(), int(MainWindow::RunPageIndex));
    }

    void aNewMatrixHasATestOfEachKind()
    {
        m_window->show();
        action("New matrix")->trigger();
        QCOMPARE(page(), int(MainWindow::PlanPageIndex));
        QCOMPARE(m_window->document().matrix().tests.size(), std::size_t(5));
        QVERIFY2(m_window->document().runnable(), qPrintable(m_window->document().whyNotRunnable()));
        QVERIFY(!m_window->isWindowModified());
    }

    void aDroppedMatrixIsOpenedAndATraceTaken()
    {
        saveSample(file("a.tailmark.json"), "Dropped");
        const auto drop = [this](const QString& path) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(path)});
            QDragEnterEvent enter(QPoint(500, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(m_window.get(), &enter);
            QVERIFY(enter.isAccepted());
            QDropEvent event(QPointF(500, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(m_window.get(), &event);
        };
        m_window->show();
        drop(file("a.tailmark.json"));
        QCOMPARE(m_window->document().matrix().name, "Dropped");
        QFile log(file("log.csv"));
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write("prompt_tokens,completion_tokens\n512,64\n640,32\n");
        log.close();
        drop(log.fileName());
        TRY_VERIFY(m_window->findChild<TraceImportDialog*>());
        auto* dialog = m_window->findChild<TraceImportDialog*>();
        QPushButton* use = buttonWithText(*dialog, "Use as lengths");
        TRY_VERIFY(use->isEnabled());
        use->click();
        TRY_COMPARE(m_window->document().matrix().workload.lengths.kind, LengthsKind::Trace);
        QCOMPARE(m_window->document().matrix().workload.lengths.file, log.fileName().toStdString());
        QCOMPARE(m_window->document().matrix().workload.lengths.hash.size(), std::size_t(64));
    }

    void theRecommendedMatrixKeepsTheTarget()
    {
        m_window->show();
        m_window->document().edit("target", {}, [](Matrix& matrix) {
            matrix.target.baseUrl = "http://127.0.0.1:4321/v1";
            matrix.card.entries["accelerator"] = "L4";
        });
        m_window->document().undoStack().setClean(); // nothing to be asked about
        action("Recommended matrix")->trigger();
        const Matrix& matrix = m_window->document().matrix();
        QCOMPARE(matrix.target.baseUrl, "http://127.0.0.1:4321/v1");
        QCOMPARE(matrix.card.entries.at("accelerator"), "L4");
        QVERIFY(!matrix.name.empty());
        QVERIFY(matrix.tests.size() >= 4);
        QCOMPARE(page(), int(MainWindow::PlanPageIndex));
        QVERIFY2(m_window->document().runnable(), qPrintable(m_window->document().whyNotRunnable()));
    }

    void pluralsReadWell()
    {
        EnglishPlurals plurals;
        QCOMPARE(plurals.translate("", "%n point(s), about %1", nullptr, 1), "%n point, about %1");
        QCOMPARE(plurals.translate("", "%n point(s), about %1", nullptr, 0), "%n points, about %1");
        QVERIFY(plurals.translate("", "Save", nullptr, -1).isEmpty()); // nothing to count
    }

    void bothThemesAreLegible()
    {
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            m_theme->setChoice(choice);
            const QPalette palette = QApplication::palette();
            QCOMPARE(isDark(palette), choice == ThemeChoice::Dark);
            QCOMPARE(themeFromId(themeId(choice)), choice);
            const auto contrast = [](const QColor& a, const QColor& b) {
                const auto luminance = [](const QColor& c) {
                    const auto part = [](double v) {
                        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
                    };
                    return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
                };
                const double light = std::max(luminance(a), luminance(b));
                const double dark = std::min(luminance(a), luminance(b));
                return (light + 0.05) / (dark + 0.05);
            };
            const ThemeColours& colours = themeColours(palette);
            const QColor base = palette.color(QPalette::Base);
            const QColor window = palette.color(QPalette::Window);
            for (const QColor& back : {base, window}) {
                QVERIFY(contrast(palette.color(QPalette::Text), back) >= 7);
                for (const QColor& text :
                     {colours.secondary, colours.error, colours.warning, colours.ok, colours.accent,
                      palette.color(QPalette::PlaceholderText), palette.color(QPalette::Link)})
                    QVERIFY2(contrast(text, back) >= 4.5, qPrintable(text.name() + " on " + back.name()));
            }
            QVERIFY(contrast(colours.onAccent, colours.accent) >= 4.5);
            QVERIFY(contrast(colours.error, colours.errorSoft) >= 4.5);
        }
    }

    void iconsFollowTheTheme()
    {
        const auto ink = [](const QIcon& icon) {
            const QImage image = icon.pixmap(32, 32).toImage().convertToFormat(QImage::Format_ARGB32);
            int lightness = 0;
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y).alpha() > 200) {
                        lightness += image.pixelColor(x, y).lightness();
                        ++count;
                    }
            return count == 0 ? -1 : lightness / count;
        };
        QStringList names = QDir(":/icons").entryList({"*.svg"});
        names.removeAll("tailmark.svg"); // in its own colours
        QVERIFY(names.size() > 20);
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            m_theme->setChoice(choice);
            for (const QString& name : names) {
                const int lightness = ink(icon(name.chopped(4)));
                QVERIFY2(choice == ThemeChoice::Light ? lightness >= 0 && lightness < 100 : lightness > 150,
                         qPrintable(name));
            }
        }
        QVERIFY(!applicationIcon().isNull());
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
