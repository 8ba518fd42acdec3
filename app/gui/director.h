// SPDX-License-Identifier: GPL-3.0-or-later
// Brings the window to what the command line asks for once its files are there, and takes the picture. GUI thread;
// lives as long as the program.
#pragma once

#include "app/gui/options.h"

#include <QObject>

namespace tuneline::ui {
class MainWindow;
}

namespace tuneline::gui {

class Director : public QObject
{
    Q_OBJECT
public:
    Director(ui::MainWindow *window, Options options);
    void begin();

private:
    void onSettled(bool ok);
    void applyView();
    void applyTimeline();
    void takePicture(int exitCode);

    ui::MainWindow *m_window; // not owned
    Options m_options;
};

} // namespace tuneline::gui
