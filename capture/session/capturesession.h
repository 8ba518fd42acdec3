// SPDX-License-Identifier: GPL-3.0-or-later
// A capture from arming to the finished files: finds the agents of a target, arms them together, watches them, collects
// what they wrote. Any number of windows, one after another. Lives on its Poller's thread.
#pragma once

#include "capture/session/captureevents.h"
#include "capture/session/captureplan.h"
#include "capture/session/launcher.h"
#include "capture/session/poller.h"
#include "capture/session/rankagent.h"
#include "capture/session/rankfiles.h"
#include "capture/session/target.h"

#include <memory>
#include <optional>
#include <vector>

namespace tuneline::capture {

class CaptureSession
{
public:
    CaptureSession(Poller &poller, Target target, CaptureCallbacks callbacks, ProcFs proc = ProcFs());
    ~CaptureSession(); // closes the connections; windows with a limit are completed by their agents
    CaptureSession(const CaptureSession &) = delete;
    CaptureSession &operator=(const CaptureSession &) = delete;

    // Opens a window in all ranks that are there, and in those that come before it is over. The path is absolute.
    // Blocks for a moment to ask git for the revision.
    [[nodiscard]] Result<std::filesystem::path> arm(CapturePlan plan);
    // Ends the window now; `captured` or `failed` follows, after five seconds at most.
    void stopWindow();
    [[nodiscard]] bool windowOpen() const noexcept { return m_window.has_value(); }
    [[nodiscard]] bool windowLimited() const noexcept { return m_window && m_window->plan.limited(); }
    // The owner has reaped the launched process.
    void rootEnded(const ProcessEnd &end) { m_rootEnd = end; }
    [[nodiscard]] SessionProgress progress() const;
    [[nodiscard]] const Target &target() const noexcept { return m_target; }

private:
    struct Window
    {
        Window(CapturePlan wanted, RankFiles into)
            : plan(std::move(wanted))
            , files(std::move(into))
        { }
        CapturePlan plan;
        RankFiles files;
        std::string metadata;
        std::vector<CapturedFile> kept; // of ranks that are done
        std::size_t seen = 0; // agents that were armed
        std::size_t expected = 1; // ranks on this machine, as their launcher says
        std::string lost; // ranks that ended before they had recorded anything
        std::int64_t mostSteps = 0; // seen by any of them
        std::string trouble; // the first reason why a rank failed
        std::string note; // what the user should know of a window that went well otherwise
        std::optional<Poller::Clock::time_point> giveUp; // set by stopWindow
    };
    void tick();
    void connectNew();
    void armReady();
    void armOne(RankAgent &agent, bool several);
    [[nodiscard]] bool joins(RankAgent &agent);
    [[nodiscard]] bool isHelper(const RankAgent &agent);
    void standLaunchersDown();
    [[nodiscard]] bool isLate() const;
    [[nodiscard]] bool allThere(const std::vector<RankAgent *> &waiting);
    void settleDone();
    void settle(RankAgent &agent);
    void noteShortcomings(const format::StatusMessage &status);
    void finishIfOver();
    [[nodiscard]] std::string remarks(const Captured &captured) const;
    void report();
    [[nodiscard]] bool rootGone() const;
    [[nodiscard]] Error whyNothing() const;

    Poller &m_poller;
    Target m_target;
    CaptureCallbacks m_callbacks;
    ProcFs m_proc;
    AgentFinder m_finder;
    std::vector<std::unique_ptr<RankAgent>> m_agents;
    std::optional<Window> m_window;
    std::optional<ProcessEnd> m_rootEnd;
    std::optional<SessionState> m_result; // of the last window, once it is over
    Poller::TimerId m_timer = 0;
    unsigned m_ticks = 0;
    std::size_t m_lastWaiting = 0;
    Poller::Clock::time_point m_lastArrival;
    SessionProgress m_reported;
    bool m_everReported = false, m_everAgent = false, m_everCapturable = false;
};

} // namespace tuneline::capture
