// SPDX-License-Identifier: GPL-3.0-or-later
// One session of the server: a launched or attached program, its capture session and its output.
#pragma once

#include "capture/session/capturesession.h"
#include "capture/session/outputfile.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace tuneline::capture {

class ServedProgram
{
public:
    using Notify = std::function<void(std::string_view method, nlohmann::json params)>;

    ServedProgram(Poller &poller, int id, Target target, Notify notify);

    // Of a launch. Attached programs write where they always did.
    void setOutputs(OutputFile out, OutputFile err);
    void setLaunched(bool stopAfter);

    [[nodiscard]] int id() const noexcept { return m_id; }
    [[nodiscard]] pid_t pid() const noexcept { return m_capture.target().root; }
    [[nodiscard]] bool launched() const noexcept { return m_launched; }
    [[nodiscard]] CaptureSession &capture() noexcept { return m_capture; }
    [[nodiscard]] nlohmann::json progress() const;
    [[nodiscard]] bool terminate();
    // Passes on output and looks for the end. True when everything was said: the program is gone, or was let go.
    [[nodiscard]] bool look();
    // The client has no interest any more. A window without a limit is ended first.
    void detach();

private:
    void passOutput();
    void notify(std::string_view method, nlohmann::json params);
    [[nodiscard]] CaptureCallbacks callbacks();

    int m_id = 0;
    Notify m_notify;
    ProcFs m_proc;
    CaptureSession m_capture;
    std::optional<OutputFile> m_out, m_err;
    std::optional<ProcessEnd> m_end;
    bool m_launched = false, m_stopAfter = false, m_detached = false;
};

} // namespace tuneline::capture
