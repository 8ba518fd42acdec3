// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli list: processes that can be captured, and why others can't.
#include "app/cli/command.h"
#include "capture/session/agentlibrary.h"
#include "capture/session/gdbinjector.h"
#include "capture/session/processlist.h"
#include "capture/session/sessionjson.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>

namespace tuneline::cli {

namespace {

using capture::CaptureWay;

std::string joined(const std::vector<std::string> &words)
{
    std::string line;
    for (const auto &word : words)
        line.append(line.empty() ? "" : " ").append(word);
    return line;
}

std::string torchText(const capture::ListedProcess &process)
{
    if (!process.torch)
        return process.cuda ? "CUDA only" : "-";
    return process.torch->empty() ? "yes" : *process.torch;
}

void printTable(const std::vector<capture::ListedProcess> &processes)
{
    std::cout << std::left << std::setw(9) << "PID" << std::setw(10) << "CAPTURE" << std::setw(14) << "LIBTORCH"
              << "COMMAND\n";
    for (const auto &process : processes) {
        const char *way = process.way == CaptureWay::Agent ? "agent"
            : process.way == CaptureWay::Debugger          ? "gdb"
                                                           : "no";
        std::cout << std::setw(9) << process.pid << std::setw(10) << way << std::setw(14) << torchText(process)
                  << (process.commandLine.empty() ? process.name : joined(process.commandLine)) << '\n';
        if (!process.why.empty())
            std::cout << "         " << process.why << '\n';
    }
}

ExitCode list(bool json)
{
    const capture::ProcFs proc;
    capture::GdbInjector gdb;
    const auto agent = capture::findAgent();
    const auto processes =
        capture::listProcesses(proc, capture::self(proc), gdb, agent.value_or(std::filesystem::path()));
    if (json) {
        std::cout << capture::dumpJson({{"processes", capture::toJson(processes)}}) << '\n';
    } else if (processes.empty()) {
        printError("no process here uses LibTorch, CUDA or Python; start one with tuneline-cli record");
    } else {
        printTable(processes);
    }
    return ExitCode::Done;
}

} // namespace

void addList(CLI::App &app, Outcome &outcome)
{
    auto json = std::make_shared<bool>(false);
    auto *command = app.add_subcommand("list", "Processes that can be captured, and why others can't");
    command->add_flag("--json", *json, "Print one JSON document");
    command->callback([json, &outcome] { outcome.exit = list(*json); });
}

} // namespace tuneline::cli
