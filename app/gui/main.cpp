// SPDX-License-Identifier: GPL-3.0-or-later
#include "display.h"
#include "screenshots.h"

#include "shell/english_plurals.h"
#include "shell/main_window.h"
#include "shell/settings.h"
#include "store/store.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

namespace {

constexpr int kFault = 1;
constexpr int kUsage = 2;

struct Arguments
{
    std::string database, matrix, screenshots, theme;
    bool demo = false;
};

int complain(const std::string& line, int code)
{
    std::fprintf(stderr, "tailmark: %s\n", line.c_str());
    return code;
}

int run(QApplication& app, const Arguments& arguments)
{
    using namespace tailmark::ui;
    using namespace Qt::StringLiterals;
    const bool pictures = !arguments.screenshots.empty();
    const QString database = QString::fromStdString(arguments.database);
    if (!QDir().mkpath(QFileInfo(database).absolutePath()))
        return complain(arguments.database + ": its folder cannot be made", kFault);

    // Pictures show the product, not what this user has set.
    QTemporaryDir scratch;
    Settings settings(pictures ? scratch.filePath(u"settings.ini"_s) : QString());
    Theme theme;
    theme.setChoice(arguments.theme.empty() ? settings.theme()
                                            : themeFromId(QString::fromStdString(arguments.theme)));
    WindowOptions options;
    options.database = database;
    if (!pictures)
        options.recoveryFolder =
            QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + u"/tailmark"_s;
    MainWindow window(settings, theme, options);
    if (pictures) {
        const QString error =
            tailmark::takeScreenshots(window, theme, QString::fromStdString(arguments.screenshots));
        return error.isEmpty() ? 0 : complain(error.toStdString(), kFault);
    }
    if (!arguments.matrix.empty())
        window.openMatrix(QString::fromStdString(arguments.matrix));
    else if (!arguments.demo)
        window.restoreSession();
    if (!arguments.matrix.empty() || arguments.demo)
        window.offerRecovery();
    window.show();
    if (arguments.demo)
        QTimer::singleShot(0, &window, &MainWindow::startDemo);
    return app.exec();
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App cli(
        "Workbench that benchmarks LLM serving engines: plan, run, results and comparison in one window.",
        "tailmark");
    Arguments arguments;
    arguments.database = tailmark::Store::defaultPath();
    cli.set_version_flag("--version", std::string("tailmark " TAILMARK_VERSION));
    cli.add_option("matrix", arguments.matrix, "Matrix to open (*.tailmark.json)")->type_name("MATRIX.json");
    cli.add_option("--db", arguments.database, "Database of the runs")
        ->type_name("FILE")
        ->capture_default_str();
    cli.add_flag("--demo", arguments.demo, "Start the simulated engine and run the demo matrix on it");
    cli.add_option("--screenshots", arguments.screenshots,
                   "Run the demo into the database, write a picture of each page, light and dark, into this "
                   "folder and exit. Needs no display")
        ->type_name("DIR");
    cli.add_option("--theme", arguments.theme, "light, dark, or system; else as set in the View menu")
        ->check(CLI::IsMember({"light", "dark", "system"}));
    try {
        cli.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return cli.exit(asked);
    } catch (const CLI::ParseError& error) {
        return complain(error.what(), kUsage);
    }

    const QTemporaryDir runtime;
    if (const std::string problem = tailmark::displayProblem(); !problem.empty()) {
        if (arguments.screenshots.empty())
            return complain(problem + "; without one, run a matrix by: tailmark-cli run MATRIX.json", kFault);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR")) // Qt would choose one and warn
            qputenv("XDG_RUNTIME_DIR", runtime.path().toLocal8Bit());
    }
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("tailmark"));
    QApplication::setApplicationDisplayName(QString()); // the window says its name itself
    QApplication::setApplicationVersion(QStringLiteral(TAILMARK_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("tailmark"));
    tailmark::ui::EnglishPlurals plurals;
    QApplication::installTranslator(&plurals);
    QApplication::setWindowIcon(tailmark::ui::applicationIcon());
    return run(app, arguments);
}
