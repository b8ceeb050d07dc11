// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshots.h"

#include "shell/main_window.h"
#include "style/theme.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QPixmap>
#include <QTimer>

#include <cstdio>

namespace tailmark {

using namespace Qt::StringLiterals;
using ui::MainWindow;

namespace {

constexpr QSize kSize(1600, 1000);
constexpr int kDemoTimeoutMs = 600'000;
constexpr int kListTimeoutMs = 30'000;
constexpr int kSettleMs = 1'200; ///< answers of the store are drawn by then

void waitFor(int ms)
{
    QEventLoop loop;
    QTimer::singleShot(ms, &loop, &QEventLoop::quit);
    loop.exec();
}

template <typename Condition> bool waitUntil(Condition condition, int timeoutMs)
{
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.hasExpired(timeoutMs))
            return false;
        waitFor(50);
    }
    return true;
}

QString runDemo(MainWindow& window)
{
    std::fprintf(stderr, "tailmark: running the demo, about two minutes\n");
    QString error;
    bool ended = false;
    QObject untilReturn; // what is written to must not outlive this call
    QObject::connect(
        &window.controller(), &ui::RunController::finished, &untilReturn, [&](const RunFinished& outcome) {
            ended = true;
            if (outcome.state != "done")
                error = QString::fromStdString(outcome.error.empty() ? "the demo ended as " + outcome.state
                                                                     : outcome.error);
        });
    window.startDemo();
    if (!waitUntil([&] { return ended; }, kDemoTimeoutMs))
        return u"the demo took too long"_s;
    return error;
}

} // namespace

QString takeScreenshots(MainWindow& window, ui::Theme& theme, const QString& folder)
{
    if (!QDir().mkpath(folder))
        return u"%1: the folder cannot be made"_s.arg(folder);
    window.resize(kSize);
    window.show();
    if (const QString error = runDemo(window); !error.isEmpty())
        return error;
    const RunId demo = window.controller().outcome()->run;
    // Against the run just before it, whatever else the database holds.
    if (!waitUntil(
            [&] { return !window.store().runs()->empty() && window.store().runs()->front().id == demo; },
            kListTimeoutMs))
        return u"the demo's run is not listed"_s;
    if (const auto runs = window.store().runs(); runs->size() > 1)
        window.showComparison((*runs)[1].id, demo);
    window.showRun(demo);

    struct Picture
    {
        MainWindow::Page page;
        QString name;
    };
    const Picture pictures[] = {{MainWindow::WelcomePageIndex, u"first-start"_s},
                                {MainWindow::PlanPageIndex, u"plan"_s},
                                {MainWindow::RunPageIndex, u"run"_s},
                                {MainWindow::ResultsPageIndex, u"results"_s},
                                {MainWindow::ComparePageIndex, u"compare"_s}};
    for (const ui::ThemeChoice choice : {ui::ThemeChoice::Light, ui::ThemeChoice::Dark}) {
        theme.setChoice(choice);
        for (const Picture& picture : pictures) {
            window.showPage(picture.page);
            waitFor(kSettleMs);
            const QString file = u"%1/%2-%3.png"_s.arg(folder, picture.name, ui::themeId(choice));
            if (!window.grab().save(file))
                return u"%1: cannot be written"_s.arg(file);
        }
    }
    std::printf("%s\n", qPrintable(QDir(folder).absolutePath()));
    return {};
}

} // namespace tailmark
