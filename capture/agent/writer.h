// SPDX-License-Identifier: MIT
// The writer thread of one capture: empties the rings of all threads, samples the CPUs, reads the clocks and writes
// frames at least every 200 ms. Started and stopped by the control thread; owns no file.
#pragma once

#include "capture/agent/batches.h"
#include "capture/agent/counters.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <set>

namespace tuneline::agent {

// All clocks at one moment, the tightest of several readings. deviceNow: cuptiGetTimestamp or nullptr.
using DeviceClock = std::int64_t (*)() noexcept;
format::ClockRecord readClocks(DeviceClock deviceNow) noexcept;

// Starts a thread of ours: all signals blocked, named. errno, 0 = done.
int startThread(pthread_t &thread, const char *name, void *(*run)(void *), void *context) noexcept;

class Writer
{
public:
    explicit Writer(FrameFile &file) noexcept
        : m_file(file)
        , m_out(file)
    { }

    int start() noexcept;
    // Ends the thread, then, on the caller's, takes what is left: rings, operators still open, thread names, clocks.
    void stop() noexcept;

    // cuptiGetTimestamp while CUPTI is in use. Any thread.
    void setDeviceClock(DeviceClock clock) noexcept { m_deviceClock = clock; }

    [[nodiscard]] std::uint64_t droppedRingFull() const noexcept { return m_ringFull; }
    [[nodiscard]] std::uint64_t droppedTooDeep() const noexcept { return m_tooDeep; }

private:
    static void *run(void *self) noexcept;
    void loop();
    void drain();
    void addClock();
    void addThreadName(std::uint32_t tid);
    void addOpenOps();

    FrameFile &m_file;
    Batches m_out;
    CpuSampler m_cpu;
    pthread_t m_thread{};
    bool m_running = false;
    std::atomic<bool> m_stop{false};
    std::atomic<DeviceClock> m_deviceClock{nullptr};
    std::set<std::uint32_t> m_named;
    std::uint64_t m_goneRingFull = 0, m_goneTooDeep = 0; // of threads that have ended
    std::atomic<std::uint64_t> m_ringFull{0}, m_tooDeep{0};
};

} // namespace tuneline::agent
