// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/options.h"

#include <QCommandLineParser>
#include <QHash>

namespace tuneline::gui {

namespace {

QSize parseSize(const QString &text, QString &problem)
{
    bool wide = false;
    bool high = false;
    const QSize size(text.section('x', 0, 0).toInt(&wide), text.section('x', 1).toInt(&high));
    if (!wide || !high || size.width() < 320 || size.height() < 240)
        problem = QString("--size %1: write WIDTHxHEIGHT, for example 1280x720").arg(text);
    return size;
}

std::optional<ui::TimeRange> parseRange(const QString &text, QString &problem)
{
    bool from = false;
    bool to = false;
    const ui::TimeRange range{text.section(':', 0, 0).toLongLong(&from), text.section(':', 1).toLongLong(&to)};
    if (!from || !to || range.empty())
        problem = QString("--range %1: write FROM:TO in nanoseconds of trace time").arg(text);
    return range;
}

View parseView(const QString &text, QString &problem)
{
    static const QHash<QString, View> views{{"start", View::Start},     {"timeline", View::Timeline},
                                            {"advisor", View::Advisor}, {"compare", View::Compare},
                                            {"report", View::Report},   {"help", View::Help}};
    if (!views.contains(text))
        problem = QString("--view %1: one of start, timeline, advisor, compare, report, help").arg(text);
    return views.value(text, View::Auto);
}

} // namespace

Options parseOptions(const QStringList &arguments, QString &problem)
{
    QCommandLineParser parser;
    parser.setApplicationDescription("Timeline viewer and tuning advisor for PyTorch and LibTorch training runs.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("FILE", "Captures or traces to open together, as the ranks or sources of one run.",
                                 "[FILE… | --compare BEFORE AFTER]");
    const QCommandLineOption compare("compare", "Compare two captures: BEFORE AFTER.");
    const QCommandLineOption screenshot(
        "screenshot", "Save a picture of the window to OUT.png and end; needs no display.", "OUT.png");
    const QCommandLineOption size("size", "Size of the window.", "WxH");
    const QCommandLineOption range("range", "Part of the timeline to show, in ns.", "FROM:TO");
    const QCommandLineOption theme("theme", "light, dark or system.", "THEME");
    const QCommandLineOption view("view", "start, timeline, advisor, compare, report or help.", "VIEW");
    const QCommandLineOption select("select", "Select the first event of that name.", "NAME");
    parser.addOptions({compare, screenshot, size, range, theme, view, select});
    parser.process(arguments);

    Options options;
    options.files = parser.positionalArguments();
    options.compare = parser.isSet(compare);
    options.screenshot = parser.value(screenshot);
    options.select = parser.value(select);
    if (options.compare && options.files.size() != 2)
        problem = "--compare needs two files: BEFORE AFTER";
    if (parser.isSet(size))
        options.size = parseSize(parser.value(size), problem);
    if (parser.isSet(range))
        options.range = parseRange(parser.value(range), problem);
    if (parser.isSet(view))
        options.view = parseView(parser.value(view), problem);
    if (parser.isSet(theme))
        options.theme = ui::themeModeFromName(parser.value(theme));
    return options;
}

} // namespace tuneline::gui
