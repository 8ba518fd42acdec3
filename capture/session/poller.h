// SPDX-License-Identifier: GPL-3.0-or-later
// The event loop of record, attach and serve: file descriptors that become readable, and timers. One thread; callbacks
// run inside runOnce() and may watch, unwatch, add and remove timers, also their own.
#pragma once

#include <chrono>
#include <functional>
#include <map>

namespace tuneline::capture {

class Poller
{
public:
    using Clock = std::chrono::steady_clock;
    using TimerId = unsigned;

    // Calls back whenever fd can be read, or is at its end. The fd stays the caller's; unwatch before closing it.
    void watch(int fd, std::function<void()> readable);
    void unwatch(int fd);

    TimerId every(std::chrono::milliseconds interval, std::function<void()> callback);
    void cancel(TimerId timer);

    // Waits for the next events, at most `limit`, and runs their callbacks.
    void runOnce(std::chrono::milliseconds limit = std::chrono::milliseconds(1000));
    // Until stop() is called in a callback.
    void run();
    void stop() noexcept { m_running = false; }

private:
    struct Timer
    {
        std::chrono::milliseconds interval{};
        Clock::time_point due;
        std::function<void()> callback;
    };
    void runTimers();
    [[nodiscard]] int timeoutMs(std::chrono::milliseconds limit) const;

    std::map<int, std::function<void()>> m_watched;
    std::map<TimerId, Timer> m_timers;
    TimerId m_nextTimer = 1;
    bool m_running = false;
};

} // namespace tuneline::capture
