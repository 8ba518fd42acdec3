// SPDX-License-Identifier: GPL-3.0-or-later
// GUI_TEST_MAIN(Class): offscreen, in a fresh folder for settings, data and cache, with the light theme.
#pragma once

#include "ui/widgets/theme.h"

#include <QApplication>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace tuneline::test {

// Before QApplication: everything that the window remembers goes to `folder`.
inline void isolate(const QTemporaryDir &folder)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    for (const char *name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"})
        qputenv(name, folder.path().toUtf8());
}

} // namespace tuneline::test

#define GUI_TEST_MAIN(Class)                                                                                           \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        const QTemporaryDir folder;                                                                                    \
        tuneline::test::isolate(folder);                                                                               \
        QApplication app(argc, argv);                                                                                  \
        QApplication::setOrganizationName("tuneline");                                                                 \
        QApplication::setApplicationName("tuneline-test");                                                             \
        tuneline::ui::Theme::instance().apply(tuneline::ui::ThemeMode::Light);                                         \
        Class test;                                                                                                    \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
