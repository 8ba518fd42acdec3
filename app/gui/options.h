// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of the window: CLI.md's `tuneline`, and what screenshots need.
#pragma once

#include "ui/models/timerange.h"
#include "ui/widgets/theme.h"

#include <QSize>
#include <QStringList>

#include <optional>

namespace tuneline::gui {

enum class View { Auto, Start, Timeline, Advisor, Compare, Report, Help };

struct Options
{
    QStringList files;
    bool compare = false; // files are [before, after]
    QString screenshot; // "" = show the window
    QSize size; // of the window; empty = remembered or default
    std::optional<ui::TimeRange> range; // ns
    std::optional<ui::ThemeMode> theme; // nullopt = as preferred
    View view = View::Auto;
    QString select; // name of the event to select
};

// Prints usage or version and ends the program where that was asked for. `problem` is set when the command line is
// wrong.
[[nodiscard]] Options parseOptions(const QStringList &arguments, QString &problem);

} // namespace tuneline::gui
