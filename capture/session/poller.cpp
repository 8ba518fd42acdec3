// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/poller.h"

#include <algorithm>
#include <poll.h>
#include <utility>
#include <vector>

namespace tuneline::capture {

using std::chrono::milliseconds;

void Poller::watch(int fd, std::function<void()> readable)
{
    m_watched[fd] = std::move(readable);
}

void Poller::unwatch(int fd)
{
    m_watched.erase(fd);
}

Poller::TimerId Poller::every(milliseconds interval, std::function<void()> callback)
{
    m_timers.emplace(m_nextTimer, Timer{interval, Clock::now() + interval, std::move(callback)});
    return m_nextTimer++;
}

void Poller::cancel(TimerId timer)
{
    m_timers.erase(timer);
}

void Poller::runOnce(milliseconds limit)
{
    std::vector<pollfd> fds;
    fds.reserve(m_watched.size());
    for (const auto &[fd, callback] : m_watched)
        fds.push_back({fd, POLLIN, 0});
    if (poll(fds.data(), fds.size(), timeoutMs(limit)) > 0) {
        for (const auto &entry : fds) {
            const auto it = entry.revents != 0 ? m_watched.find(entry.fd) : m_watched.end();
            if (it == m_watched.end())
                continue; // an earlier callback dropped it
            const auto callback = it->second; // a copy: the callback may unwatch itself
            callback();
        }
    }
    runTimers();
}

void Poller::run()
{
    m_running = true;
    while (m_running)
        runOnce();
}

void Poller::runTimers()
{
    const auto now = Clock::now();
    std::vector<TimerId> due;
    for (auto &[id, timer] : m_timers) {
        if (timer.due <= now) {
            timer.due = now + timer.interval; // not due + interval: no burst after a stop of the machine
            due.push_back(id);
        }
    }
    for (const TimerId id : due) {
        const auto it = m_timers.find(id);
        if (it == m_timers.end())
            continue;
        const auto callback = it->second.callback;
        callback();
    }
}

int Poller::timeoutMs(milliseconds limit) const
{
    const auto now = Clock::now();
    for (const auto &[id, timer] : m_timers)
        limit = std::min(limit, std::chrono::ceil<milliseconds>(timer.due - now));
    return static_cast<int>(std::max<milliseconds::rep>(0, limit.count()));
}

} // namespace tuneline::capture
