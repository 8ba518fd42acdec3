// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline, the window.
#include "app/gui/director.h"
#include "app/gui/options.h"
#include "ui/widgets/mainwindow.h"
#include "ui/widgets/preferences.h"

#include <QApplication>

#include <cstdio>

namespace {

using namespace tuneline;

constexpr QSize kDefaultSize(1440, 900);
constexpr double kOffscreenPointSize = 9; // the offscreen platform has no desktop that sets a font

// A picture is taken without a display, and must not depend on one that happens to be there.
void prepareEnvironment(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (QByteArray(argv[i]).startsWith("--screenshot") && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
    }
}

void chooseFont()
{
    if (QGuiApplication::platformName() != "offscreen" && QGuiApplication::platformName() != "minimal")
        return;
    QFont font("DejaVu Sans");
    font.setPointSizeF(kOffscreenPointSize);
    QApplication::setFont(font);
}

void placeWindow(ui::MainWindow &window, const gui::Options &options)
{
    const bool restored = options.size.isEmpty() && window.restoreGeometry(ui::preferences::bytes("layout/window"));
    if (!restored)
        window.resize(options.size.isEmpty() ? kDefaultSize : options.size);
}

} // namespace

int main(int argc, char **argv)
{
    prepareEnvironment(argc, argv);
    QApplication app(argc, argv);
    QApplication::setOrganizationName("tuneline");
    QApplication::setApplicationName("tuneline");
    QApplication::setApplicationVersion(TUNELINE_VERSION);
    QApplication::setDesktopFileName("tuneline");

    QString problem;
    const gui::Options options = gui::parseOptions(QApplication::arguments(), problem);
    if (!problem.isEmpty()) {
        std::fprintf(stderr, "tuneline: %s\n", qPrintable(problem));
        return 2;
    }
    chooseFont();
    ui::Theme::instance().apply(options.theme.value_or(ui::preferences::themeMode()));
    ui::MainWindow window;
    placeWindow(window, options);
    window.show();
    gui::Director director(&window, options);
    director.begin();
    return QApplication::exec();
}
