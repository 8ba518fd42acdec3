// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT, SIGTERM and SIGHUP as events of the poller instead of the end of the program. One at a time per process;
// launch() gives children the normal signals back.
#pragma once

#include "capture/session/poller.h"
#include "capture/session/uniquefd.h"

#include <csignal>
#include <functional>

namespace tuneline::capture {

class SignalWatch
{
public:
    // `fromTerminal`: the terminal sent it, and so to every process in the foreground.
    SignalWatch(Poller &poller, std::function<void(int signal, bool fromTerminal)> callback);
    ~SignalWatch();
    SignalWatch(const SignalWatch &) = delete;
    SignalWatch &operator=(const SignalWatch &) = delete;

private:
    void readable();

    Poller &m_poller;
    std::function<void(int, bool)> m_callback;
    sigset_t m_before{};
    UniqueFd m_fd;
};

} // namespace tuneline::capture
