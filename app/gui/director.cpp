// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/director.h"

#include "ui/advisor/advisorpanel.h"
#include "ui/timeline/timelinewidget.h"
#include "ui/widgets/mainwindow.h"
#include "ui/widgets/tracepage.h"

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace tuneline::gui {

namespace {
constexpr int kSettleMs = 400; // for queued replots and the event's arguments to arrive before a picture
constexpr int kExitUnreadable = 3; // CLI.md
constexpr int kExitCannotWrite = 4;

analysis::EventId firstEventNamed(const analysis::Trace &trace, const QString &name)
{
    const analysis::StringId id = trace.strings.find(name.toStdString());
    const auto &names = trace.events.name;
    const auto found = std::find(names.begin(), names.end(), id);
    if (!id.valid() || found == names.end())
        return {};
    return analysis::EventId{static_cast<std::size_t>(found - names.begin())};
}

} // namespace

Director::Director(ui::MainWindow *window, Options options)
    : m_window(window)
    , m_options(std::move(options))
{
    connect(window, &ui::MainWindow::settled, this, &Director::onSettled);
}

void Director::begin()
{
    if (m_options.compare)
        m_window->openComparison({m_options.files[0]}, {m_options.files[1]});
    else if (!m_options.files.isEmpty())
        m_window->openFiles(m_options.files);
    else
        onSettled(true);
}

void Director::onSettled(bool ok)
{
    disconnect(m_window, &ui::MainWindow::settled, this, nullptr); // what the user opens later is not ours
    if (ok)
        applyView();
    if (!m_options.screenshot.isEmpty())
        QTimer::singleShot(kSettleMs, this, [this, ok] { takePicture(ok ? 0 : kExitUnreadable); });
}

void Director::applyView()
{
    if (m_window->currentPage() == m_window->tracePage())
        applyTimeline();
    switch (m_options.view) {
    case View::Start:
        m_window->showStart();
        break;
    case View::Help:
        m_window->showHelp();
        break;
    case View::Report:
        m_window->showReport();
        break;
    case View::Advisor:
        m_window->tracePage()->advisor()->nextEvidence();
        break;
    case View::Auto:
    case View::Timeline:
    case View::Compare:
        break;
    }
}

void Director::applyTimeline()
{
    ui::TracePage *page = m_window->tracePage();
    if (!m_options.select.isEmpty()) {
        const analysis::EventId event = firstEventNamed(*page->timeline()->trace(), m_options.select);
        page->viewState()->select(event);
        if (event.valid())
            page->timeline()->ensureVisible(event);
        page->showSelection();
    }
    if (m_options.range)
        page->viewState()->setRange(*m_options.range);
}

void Director::takePicture(int exitCode)
{
    // On a busy machine what the view opened may not have been laid out yet: its texts would be clipped.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    if (!m_window->grab().save(m_options.screenshot)) {
        std::fprintf(stderr, "tuneline: %s can't be written\n", qPrintable(m_options.screenshot));
        exitCode = kExitCannotWrite;
    } else if (exitCode == kExitUnreadable) {
        std::fprintf(stderr, "tuneline: %s can't be read; the picture shows why\n",
                     qPrintable(m_options.files.join(", ")));
    }
    QCoreApplication::exit(exitCode);
}

} // namespace tuneline::gui
