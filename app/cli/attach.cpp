// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli attach: captures a window of a program that runs already.
#include "capture/session/attach.h"

#include "analysis/detaillevels.h"
#include "app/cli/captureconsole.h"
#include "app/cli/captureoptions.h"
#include "app/cli/command.h"
#include "capture/session/capturesession.h"
#include "capture/session/gdbinjector.h"
#include "capture/session/outputpath.h"
#include "capture/session/signalwatch.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tuneline::cli {

namespace {

struct AttachOptions
{
    CaptureOptions capture;
    int pid = 0;
    bool noDebugger = false;
};

ExitCode attach(const AttachOptions &options)
{
    capture::GdbInjector gdb;
    const capture::ProcFs proc;
    const auto name = capture::programName(proc.commandLine(options.pid));
    const auto plan = toPlan(options.capture, name);
    if (const auto out = capture::prepareOutput(plan, capture::ownEnvironment()); !out)
        return reportCapture(out.error());
    auto attached = capture::attachTo(options.pid, options.noDebugger ? nullptr : &gdb, proc);
    if (!attached)
        return reportCapture(attached.error());

    capture::Poller poller;
    CaptureConsole console([&poller] { poller.stop(); });
    if (attached->way == capture::CaptureWay::Debugger)
        console.say("gdb has loaded the agent into process " + std::to_string(options.pid)
                    + "; memory reports need a start with tuneline-cli record.");
    if (!attached->remark.empty())
        console.say(attached->remark);
    capture::CaptureSession session(poller, std::move(attached->target), console.callbacks());
    const capture::SignalWatch signals(poller, [&session](int, bool) { session.stopWindow(); });
    if (const auto out = session.arm(plan); !out)
        return reportCapture(out.error());
    if (!plan.limited())
        console.say("the window has no limit: Ctrl-C ends it.");
    poller.run();
    return console.exit();
}

} // namespace

void addAttach(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<AttachOptions>();
    auto *command = app.add_subcommand("attach", "Capture a window of a program that runs already");
    command->add_option("PID", options->pid, "Its process id; tuneline-cli list shows them")
        ->required()
        ->check(CLI::PositiveNumber);
    addCaptureOptions(*command, options->capture);
    command->add_flag("--no-debugger", options->noDebugger,
                      "Only if the agent is in it already; never load it through gdb");
    command->footer(captureNotes() + "\n\n" + std::string(analysis::kLateAttachLimits));
    command->callback([options, &outcome] { outcome.exit = attach(*options); });
}

} // namespace tuneline::cli
