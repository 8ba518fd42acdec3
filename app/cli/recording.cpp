// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/recording.h"

#include "app/cli/captureconsole.h"
#include "capture/session/capturesession.h"
#include "capture/session/launcher.h"
#include "capture/session/outputpath.h"
#include "capture/session/signalwatch.h"

#include <csignal>
#include <filesystem>

namespace tuneline::cli {

namespace {

constexpr std::chrono::milliseconds kLookInterval{50}; // how soon the end of the program is noticed

// One program, one window. The program keeps our terminal, input and output; when the window is over it goes on to its
// own end, and so do we: a training run is never killed, unless that was asked for.
class Recording
{
public:
    Recording(capture::Target target, bool stopAfter)
        : m_console([this] { windowOver(); })
        , m_signals(m_poller, [this](int signal, bool fromTerminal) { gotSignal(signal, fromTerminal); })
        , m_session(m_poller, std::move(target), m_console.callbacks())
        , m_stopAfter(stopAfter)
    {
        m_poller.every(kLookInterval, [this] { look(); });
    }
    capture::Result<std::filesystem::path> arm(const capture::CapturePlan &plan) { return m_session.arm(plan); }
    void say(const std::string &text) { m_console.say(text); }
    RecordResult run()
    {
        m_poller.run();
        return {m_console.exit(), m_interrupted};
    }

private:
    [[nodiscard]] pid_t child() const { return m_session.target().root; }

    void look()
    {
        if (!m_end) {
            m_end = capture::pollEnd(child());
            if (m_end)
                m_session.rootEnded(*m_end);
        }
        // Other processes of the launch may still record when the first has ended.
        if (!m_end || !m_console.over())
            return;
        if (m_end->exitCode != 0 && !(m_signalled && m_end->signal))
            m_console.say(m_session.target().name + " ended with " + m_end->text() + ".");
        m_poller.stop();
    }

    void gotSignal(int signal, bool fromTerminal)
    {
        m_signalled = m_interrupted = true;
        if (m_console.over()) {
            passOn(signal, fromTerminal);
            return;
        }
        // First the window, so that its end is written; the program gets the signal right after it. From the terminal
        // it has it already.
        m_pending = fromTerminal ? 0 : signal;
        m_session.stopWindow();
    }

    void windowOver()
    {
        if (m_pending != 0)
            passOn(m_pending, false);
        else if (m_stopAfter && m_console.exit() == ExitCode::Done)
            passOn(SIGTERM, false);
        else if (!m_end && !m_signalled)
            m_console.say(m_session.target().name + " goes on.");
    }

    void passOn(int signal, bool fromTerminal)
    {
        m_signalled = true;
        if (!m_end && !fromTerminal)
            kill(child(), signal);
    }

    capture::Poller m_poller;
    CaptureConsole m_console;
    capture::SignalWatch m_signals;
    capture::CaptureSession m_session;
    std::optional<capture::ProcessEnd> m_end;
    bool m_stopAfter = false, m_signalled = false, m_interrupted = false;
    int m_pending = 0;
};

} // namespace

RecordResult recordProgram(const RecordRequest &request)
{
    // Before the program is started: nobody wants to wait for a warm-up to hear that the name is taken.
    capture::LaunchRequest launch;
    launch.commandLine = request.program;
    launch.environment = capture::ownEnvironment();
    auto plan = request.plan;
    plan.join = plan.join || capture::isTaskOfJob(launch.environment);
    if (const auto out = capture::prepareOutput(plan, launch.environment); !out)
        return {reportCapture(out.error()), false};
    launch.output = launch.error = request.output;
    const auto process = capture::launch(launch);
    if (!process)
        return {reportCapture(process.error()), false};
    Recording recording({process->pid, process->tag, process->socketFolder, request.program,
                         std::filesystem::current_path(), capture::programName(request.program)},
                        request.stopAfter);
    if (!process->remark.empty())
        recording.say(process->remark);
    if (!request.plan.limited())
        recording.say("the window has no limit (--steps, --seconds): it ends with the program, or by Ctrl-C.");
    if (const auto out = recording.arm(plan); !out)
        recording.say(out.error().message);
    return recording.run();
}

} // namespace tuneline::cli
