// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/servedprogram.h"

#include "capture/session/sessionjson.h"

#include <csignal>

namespace tuneline::capture {

using nlohmann::json;

ServedProgram::ServedProgram(Poller &poller, int id, Target target, Notify notify)
    : m_id(id)
    , m_notify(std::move(notify))
    , m_capture(poller, std::move(target), callbacks())
{ }

void ServedProgram::setOutputs(OutputFile out, OutputFile err)
{
    m_out = std::move(out);
    m_err = std::move(err);
}

void ServedProgram::setLaunched(bool stopAfter)
{
    m_launched = true;
    m_stopAfter = stopAfter;
}

json ServedProgram::progress() const
{
    auto params = toJson(m_capture.progress());
    params["session"] = m_id;
    params["pid"] = pid();
    return params;
}

CaptureCallbacks ServedProgram::callbacks()
{
    return {[this](const SessionProgress &now) {
                auto params = toJson(now);
                params["pid"] = pid();
                notify("progress", std::move(params));
            },
            [this](const Captured &captured) {
                notify("captured", toJson(captured));
                if (m_stopAfter)
                    std::ignore = terminate();
            },
            [this](const Error &error) {
                notify("failed",
                       {{"code", static_cast<int>(error.code)}, {"message", error.message}, {"advice", error.advice}});
            }};
}

bool ServedProgram::terminate()
{
    return m_launched && !m_end && kill(pid(), SIGTERM) == 0;
}

bool ServedProgram::look()
{
    if (m_launched && !m_end) {
        m_end = pollEnd(pid());
        if (m_end)
            m_capture.rootEnded(*m_end);
    }
    passOutput();
    if (m_detached)
        return !m_capture.windowOpen() || m_capture.windowLimited();
    const bool gone = m_launched ? m_end.has_value() : !m_proc.alive(pid());
    if (!gone || m_capture.windowOpen() || (m_out && !(m_out->drained() && m_err->drained())))
        return false;
    json params{{"pid", pid()}, {"exit_code", nullptr}, {"signal", nullptr}};
    if (m_end && m_end->exitCode)
        params["exit_code"] = *m_end->exitCode;
    if (m_end && m_end->signal)
        params["signal"] = signalName(*m_end->signal);
    notify("exited", std::move(params));
    return true;
}

void ServedProgram::detach()
{
    m_detached = true;
    m_stopAfter = false;
    if (m_capture.windowOpen() && !m_capture.windowLimited())
        m_capture.stopWindow();
}

void ServedProgram::passOutput()
{
    if (!m_out)
        return;
    for (auto &text : m_out->read(m_end.has_value()))
        notify("output", {{"stream", "stdout"}, {"text", std::move(text)}});
    for (auto &text : m_err->read(m_end.has_value()))
        notify("output", {{"stream", "stderr"}, {"text", std::move(text)}});
}

void ServedProgram::notify(std::string_view method, json params)
{
    params["session"] = m_id;
    m_notify(method, std::move(params));
}

} // namespace tuneline::capture
