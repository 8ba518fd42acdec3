// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/signalwatch.h"

#include <sys/signalfd.h>

namespace tuneline::capture {

SignalWatch::SignalWatch(Poller &poller, std::function<void(int, bool)> callback)
    : m_poller(poller)
    , m_callback(std::move(callback))
{
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&watched, signal);
    pthread_sigmask(SIG_BLOCK, &watched, &m_before);
    m_fd = UniqueFd(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    if (m_fd)
        m_poller.watch(m_fd.get(), [this] { readable(); });
    else
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr); // better the usual end than none
}

SignalWatch::~SignalWatch()
{
    if (!m_fd)
        return;
    m_poller.unwatch(m_fd.get());
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

void SignalWatch::readable()
{
    signalfd_siginfo info{};
    while (read(m_fd.get(), &info, sizeof info) == sizeof info)
        m_callback(static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL);
}

} // namespace tuneline::capture
