// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/captureconsole.h"

#include <iostream>

namespace tuneline::cli {

using capture::SessionState;

namespace {

std::string counted(std::uint64_t n, const char *one, const char *many)
{
    return std::to_string(n) + ' ' + (n == 1 ? one : many);
}

std::string describe(const capture::SessionProgress &progress)
{
    switch (progress.state) {
    case SessionState::Starting:
    case SessionState::Dormant:
        return "waiting for the program to use LibTorch …";
    case SessionState::WarmingUp:
        return "warming up, " + counted(static_cast<std::uint64_t>(progress.stepsSeen), "step", "steps") + " …";
    case SessionState::Baseline:
        return "timing plain steps …";
    case SessionState::Recording:
        return "recording, step " + std::to_string(progress.windowSteps + 1) + ", " + std::to_string(progress.records)
            + " records …";
    case SessionState::BaselineAfter:
        return "window closed, timing plain steps …";
    case SessionState::Finished:
    case SessionState::Failed:
        break;
    }
    return {};
}

} // namespace

ExitCode reportCapture(const capture::Error &error)
{
    printError(error.advice.empty() ? error.message : error.message + ' ' + error.advice);
    return ExitCode::CaptureFailed;
}

capture::CaptureCallbacks CaptureConsole::callbacks()
{
    return {[this](const auto &progress) { show(progress); }, [this](const auto &done) { captured(done); },
            [this](const auto &error) { failed(error); }};
}

void CaptureConsole::say(const std::string &text)
{
    m_line.clear();
    std::cerr << "tuneline-cli: " << text << '\n';
}

void CaptureConsole::show(const capture::SessionProgress &progress)
{
    const auto text = m_over ? std::string() : describe(progress);
    if (text.empty())
        m_line.clear();
    else
        m_line.show(text);
}

void CaptureConsole::captured(const capture::Captured &captured)
{
    std::uint64_t records = 0, dropped = 0;
    for (const auto &file : captured.files) {
        records += file.facts.records;
        dropped += file.facts.dropped;
    }
    std::string text = "captured " + captured.path.string() + ": " + counted(records, "record", "records");
    if (captured.files.size() > 1)
        text += ", " + counted(captured.files.size(), "rank", "ranks");
    if (dropped > 0)
        text += ", " + std::to_string(dropped) + " dropped";
    m_over = true;
    m_exit = ExitCode::Done;
    say(text);
    if (!captured.message.empty())
        say(captured.message);
    m_windowOver();
}

void CaptureConsole::failed(const capture::Error &error)
{
    m_over = true;
    m_line.clear();
    m_exit = reportCapture(error);
    m_windowOver();
}

} // namespace tuneline::cli
