// SPDX-License-Identifier: MIT
#include "capture/agent/writer.h"

#include "capture/agent/clock.h"
#include "capture/agent/log.h"
#include "capture/agent/recorder.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>

namespace tuneline::agent {

namespace {

constexpr std::int64_t kPollNs = 10 * kMillisecond;
constexpr std::int64_t kFlushNs = 150 * kMillisecond; // the promise is 200
constexpr std::int64_t kSampleNs = 100 * kMillisecond;
constexpr std::int64_t kClockNs = kSecond;

} // namespace

format::ClockRecord readClocks(DeviceClock deviceNow) noexcept
{
    format::ClockRecord best;
    for (int round = 0; round < 5; ++round) {
        format::ClockRecord reading;
        reading.realtimeBefore = realtimeNow();
        reading.monotonic = hostNow();
        reading.cupti = deviceNow ? deviceNow() : 0;
        reading.realtimeAfter = realtimeNow();
        if (round == 0 || reading.realtimeAfter - reading.realtimeBefore < best.realtimeAfter - best.realtimeBefore)
            best = reading;
    }
    return best;
}

int startThread(pthread_t &thread, const char *name, void *(*run)(void *), void *context) noexcept
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // inherited: the host's handlers never run on our threads
    const int error = pthread_create(&thread, nullptr, run, context);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error == 0)
        pthread_setname_np(thread, name);
    return error;
}

int Writer::start() noexcept
{
    const int error = startThread(m_thread, "tuneline-write", run, this);
    m_running = error == 0;
    return error;
}

void *Writer::run(void *self) noexcept
{
    try {
        static_cast<Writer *>(self)->loop();
    } catch (...) {
        logLine("writer: out of memory");
    }
    return nullptr;
}

void Writer::loop()
{
    std::int64_t flushed = hostNow();
    std::int64_t sampled = 0;
    std::int64_t clocked = 0;
    while (!m_stop.load(std::memory_order_acquire)) {
        const std::int64_t now = hostNow();
        drain();
        if (now - sampled >= kSampleNs) {
            m_cpu.sample(now, m_out);
            sampled = now;
        }
        if (now - clocked >= kClockNs) {
            addClock();
            clocked = now;
        }
        if (now - flushed >= kFlushNs) {
            m_out.flush();
            flushed = now;
        }
        const timespec pause{0, kPollNs};
        nanosleep(&pause, nullptr);
    }
}

void Writer::drain()
{
    bool gone = false;
    std::uint64_t ringFull = 0;
    std::uint64_t tooDeep = 0;
    ThreadState::forEach([&](ThreadState &state) {
        const bool ended = state.ended.load(std::memory_order_acquire); // before the drain: nothing can follow
        const std::uint64_t taken = state.ring.drain(
            [this](const Slot &slot) { m_out.addBytes(slot.kind, slot.payload, recordBytes(slot.kind)); });
        if (taken != 0 && m_named.insert(state.tid).second)
            addThreadName(state.tid);
        if (ended && !state.drained.load(std::memory_order_relaxed)) {
            m_goneRingFull += state.dropped.load(std::memory_order_relaxed);
            m_goneTooDeep += state.tooDeep.load(std::memory_order_relaxed);
            state.drained.store(true, std::memory_order_relaxed);
            gone = true;
        } else if (!ended) {
            ringFull += state.dropped.load(std::memory_order_relaxed);
            tooDeep += state.tooDeep.load(std::memory_order_relaxed);
        }
    });
    m_ringFull = m_goneRingFull + ringFull;
    m_tooDeep = m_goneTooDeep + tooDeep;
    if (gone)
        ThreadState::reap();
}

void Writer::addClock()
{
    m_out.add(format::RecordKind::Clock, readClocks(m_deviceClock.load()));
}

void Writer::addThreadName(std::uint32_t tid)
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    std::FILE *file = std::fopen(path, "re");
    if (!file)
        return;
    char name[64] = {};
    const std::size_t length = std::fread(name, 1, sizeof name - 1, file);
    std::fclose(file);
    const std::string_view text(name, length > 0 && name[length - 1] == '\n' ? length - 1 : length);
    if (text.rfind("tuneline-", 0) != 0)
        m_out.add(format::RecordKind::Thread, format::ThreadRecord{tid, NameTable::instance().intern(text).id});
}

void Writer::addOpenOps()
{
    const std::uint32_t epoch = g_hot.epoch.load();
    ThreadState::forEach([this, epoch](ThreadState &state) {
        if (state.epoch == epoch && !state.ended.load())
            takeOpenOps(state, [this](const format::OpRecord &op) { m_out.add(format::RecordKind::Op, op); });
    });
}

void Writer::stop() noexcept
{
    if (!m_running)
        return;
    m_stop.store(true, std::memory_order_release);
    pthread_join(m_thread, nullptr);
    m_running = false;
    try {
        drain();
        addOpenOps();
        m_cpu.sample(hostNow(), m_out);
        addClock();
        // Names once more: threads are often named after their first event.
        if (DIR *tasks = opendir("/proc/self/task")) {
            while (const dirent *entry = readdir(tasks)) {
                if (const unsigned long tid = std::strtoul(entry->d_name, nullptr, 10); tid != 0)
                    addThreadName(static_cast<std::uint32_t>(tid));
            }
            closedir(tasks);
        }
    } catch (...) {
        logLine("writer: out of memory at the end");
    }
    m_out.flush();
}

} // namespace tuneline::agent
