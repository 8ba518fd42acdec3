// SPDX-License-Identifier: GPL-3.0-or-later
// What record and attach show on stderr while a capture goes on, and the exit code that they end with.
#pragma once

#include "app/cli/command.h"
#include "app/cli/progressline.h"
#include "capture/session/captureevents.h"

#include <functional>

namespace tuneline::cli {

// Prints "message advice" of a session error; returns ExitCode::CaptureFailed.
ExitCode reportCapture(const capture::Error &error);

class CaptureConsole
{
public:
    explicit CaptureConsole(std::function<void()> windowOver)
        : m_windowOver(std::move(windowOver))
    { }
    // Hands these to the session; the console must outlive it.
    [[nodiscard]] capture::CaptureCallbacks callbacks();
    [[nodiscard]] bool over() const noexcept { return m_over; }
    [[nodiscard]] ExitCode exit() const noexcept { return m_exit; }
    // A line for the user, without disturbing the progress line.
    void say(const std::string &text);

private:
    void show(const capture::SessionProgress &progress);
    void captured(const capture::Captured &captured);
    void failed(const capture::Error &error);

    ProgressLine m_line;
    std::function<void()> m_windowOver;
    ExitCode m_exit = ExitCode::CaptureFailed;
    bool m_over = false;
};

} // namespace tuneline::cli
