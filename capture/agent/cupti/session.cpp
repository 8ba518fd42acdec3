// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/session.h"

#include "capture/agent/clock.h"
#include "capture/agent/cupti/buffers.h"
#include "capture/agent/hot.h"
#include "capture/agent/log.h"

#include <array>
#include <cstdlib>
#include <cstring>

namespace tuneline::agent::cupti {

namespace {

constexpr std::int64_t kFlushNs = 150 * kMillisecond; // decoded and written within the promised 200
constexpr std::int64_t kPollNs = 10 * kMillisecond;

std::atomic<int (*)(std::uint64_t *)> g_getTimestamp{nullptr};

// CUPTI's callbacks, on the host's threads.
void onBufferRequested(std::uint8_t **buffer, std::size_t *size, std::size_t *maxRecords)
{
    *maxRecords = 0; // as many as fit
    *buffer = g_hot.dead.load(std::memory_order_relaxed) ? nullptr : BufferPool::instance().give();
    *size = *buffer ? BufferPool::kBufferBytes : 0;
}

void onBufferCompleted(void * /*context*/, std::uint32_t /*stream*/, std::uint8_t *buffer, std::size_t /*size*/,
                       std::size_t validSize)
{
    if (!g_hot.dead.load(std::memory_order_relaxed))
        BufferPool::instance().accept(buffer, validSize);
}

// A subscriber must have one; we enable no callback.
void onCallback(void * /*user*/, std::uint32_t /*domain*/, std::uint32_t /*callback*/, const void * /*data*/) { }

} // namespace

std::int64_t Session::deviceNow() noexcept
{
    const auto getTimestamp = g_getTimestamp.load(std::memory_order_acquire);
    std::uint64_t cupti = 0;
    if (!getTimestamp || getTimestamp(&cupti) != kSuccess)
        return 0;
    // On another clock than ours (see RecordClock): the decoder makes CLOCK_REALTIME of the records, so that is it
    // here.
    const std::int64_t realtime = realtimeNow();
    const auto now = static_cast<std::int64_t>(cupti);
    return std::abs(now - realtime) < kSecond ? now : realtime;
}

State Session::giveUp(int result, const char *what) noexcept
{
    m_error = result;
    m_state = result == kMultipleSubscribers ? State::Busy : State::Failed;
    try {
        if (m_state == State::Busy)
            m_message = "CUPTI is in use by " + (m_holder.empty() ? std::string("another tool") : m_holder)
                + ": this capture has no GPU records";
        else
            m_message = std::string(what) + ": " + m_library->describe(result) + ": this capture has no GPU records";
        logLine("%s", m_message.c_str());
    } catch (...) {
        m_message.clear();
    }
    return m_state;
}

// v2 (13.0) names the holder. From 13.3 a v2 subscriber must not make the v1 activity calls that follow: v1 there.
int Session::subscribe() noexcept
{
    char holder[128] = {};
    SubscriberParams params;
    params.subscriberName = "Tuneline";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder;
    const bool second =
        m_library->subscribeV2 && m_library->version >= kVersion13_0 && m_library->version < kVersion13_3;
    const int result = second ? m_library->subscribeV2(&m_subscriber, onCallback, nullptr, &params)
                              : m_library->subscribe(&m_subscriber, onCallback, nullptr);
    if (result != kSuccess)
        m_subscriber = nullptr;
    holder[sizeof holder - 1] = 0;
    m_holder = holder;
    return result;
}

void Session::unsubscribe() noexcept
{
    if (m_subscriber)
        m_library->unsubscribe(m_subscriber);
    m_subscriber = nullptr;
}

State Session::start(format::Detail detail, format::Graphs graphs, const std::string &torchPath,
                     Subscription subscription) noexcept
{
    m_error = 0;
    m_message.clear();
    m_state = State::Absent;
    if (!cudaIsHere())
        return m_state;
    try {
        m_library = load(torchPath, m_message);
        if (!m_library) {
            m_state = State::Failed;
            return m_state;
        }
        // First of all, as NVIDIA advises: without it ours and Kineto's buffer callbacks would replace each other.
        if (const int result = subscription == Subscription::Own ? subscribe() : kSuccess; result != kSuccess)
            return giveUp(result, "CUPTI can't be used");
        m_names = std::make_unique<ApiNames>(*m_library);
        m_decoder = std::make_unique<Decoder>(*m_library, *m_names, m_out, detail == format::Detail::Full);
        if (m_library->setThreadIdType)
            m_library->setThreadIdType(kThreadIdSystem); // else pthread_self cut to 32 bits, which matches no operator
        std::uint8_t yes = 1;
        std::size_t size = sizeof yes;
        m_library->setAttribute(kAttributeZeroedBuffer, &size, &yes);
        if (subscription == Subscription::Own && m_library->version >= kVersion12_3)
            m_library->setAttribute(kAttributePerThreadBuffer, &size, &yes); // Kineto leaves it off behind itself
        BufferPool::instance().prepare(m_library->version >= kVersion12_9);
        if (const int result = m_library->registerCallbacks(onBufferRequested, onBufferCompleted); result != kSuccess) {
            unsubscribe();
            return giveUp(result, "CUPTI takes no buffers");
        }
        g_getTimestamp.store(m_library->getTimestamp, std::memory_order_release);
        enableKinds(detail, graphs);
        m_stop = false;
        m_running = startThread(m_thread, "tuneline-cupti", run, this) == 0;
        m_state = State::On;
    } catch (...) {
        m_message = {};
        m_state = State::Failed;
    }
    return m_state;
}

void Session::enableKinds(format::Detail detail, format::Graphs graphs)
{
    std::vector<Kind> kinds{Kind::Runtime,    Kind::Driver, Kind::ConcurrentKernel, Kind::Memcpy,
                            Kind::MemcpyPeer, Kind::Memset, Kind::Synchronization};
    if (m_library->version >= kVersion11_2)
        kinds.push_back(Kind::Memory2);
    if (graphs == format::Graphs::Whole)
        kinds.push_back(Kind::GraphTrace); // takes the records of the graphs' kernels away
    const bool full = detail == format::Detail::Full;
    if (full)
        kinds.insert(kinds.end(), {Kind::CudaEvent, Kind::Overhead, Kind::Jit});
    for (const Kind kind : kinds) {
        const int result = m_library->enable(static_cast<std::uint32_t>(kind));
        if (result == kSuccess)
            m_enabled.push_back(kind);
        else
            logLine("CUPTI kind %u: %s", static_cast<unsigned>(kind), m_library->describe(result).c_str());
    }
    // After the kinds: enabling a kind overrides what was switched off before it.
    if (!full)
        logLine("%u calls silenced", m_names->silenceOthers());
}

void *Session::run(void *self) noexcept
{
    static_cast<Session *>(self)->loop();
    return nullptr;
}

// Where the window lies, on the device clock. Read after the buffers were taken: what is in them is older than this
// reading, so a window that isn't open yet can't be what they belong to.
void Session::lookForWindow() noexcept
{
    const std::int64_t begin = m_tracker.windowBegin();
    const std::int64_t end = m_tracker.windowEnd();
    if (begin == 0)
        return;
    const format::ClockRecord clocks = readClocks(deviceNow);
    const std::int64_t device = clocks.cupti != 0 ? clocks.cupti : (clocks.realtimeBefore + clocks.realtimeAfter) / 2;
    const std::int64_t offset = device - clocks.monotonic;
    m_decoder->setWindow(begin + offset, end != 0 ? end + offset : std::numeric_limits<std::int64_t>::max());
}

void Session::flushAndDecode(std::uint32_t flag) noexcept
{
    // Blocks until CUPTI has handed over its buffers; does not wait for the device.
    if (const int result = m_library->flushAll(flag); result != kSuccess)
        logLine("flush: CUPTI error %d", result);
    const auto full = BufferPool::instance().takeFull();
    lookForWindow();
    for (const FullBuffer &buffer : full) {
        try {
            m_decoder->decode(buffer.data, buffer.validBytes);
        } catch (...) {
            ++m_buffers;
        }
        BufferPool::instance().recycle(buffer.data, buffer.validBytes);
    }
    m_out.flush();
}

void Session::loop() noexcept
{
    std::int64_t flushed = hostNow();
    while (!m_stop.load(std::memory_order_acquire)) {
        const timespec pause{0, kPollNs};
        nanosleep(&pause, nullptr);
        if (hostNow() - flushed >= kFlushNs) {
            flushAndDecode(0);
            flushed = hostNow();
        }
    }
    // Kernels that the window launched may still be queued. Their records come when they are done, but only while their
    // kind is enabled: of 369 that waited on an H200 for another rank, 128 came without times after it was disabled.
    const std::int64_t until = hostNow() + m_patience;
    flushAndDecode(0);
    while (m_decoder->pendingLaunches() != 0 && hostNow() < until) {
        const timespec pause{0, 2 * kPollNs};
        nanosleep(&pause, nullptr);
        flushAndDecode(0);
    }
    for (const Kind kind : m_enabled)
        m_library->disable(static_cast<std::uint32_t>(kind));
    m_decoder->expectUnfinished();
    flushAndDecode(kFlushForced);
    try {
        m_decoder->finish();
    } catch (...) {
        ++m_buffers;
    }
    m_out.flush();
    std::size_t dropped = 0;
    if (m_library->getNumDroppedRecords(nullptr, 0, &dropped) == kSuccess)
        m_dropped = dropped;
}

void Session::stop(std::int64_t patience) noexcept
{
    if (m_state != State::On)
        return;
    m_patience = patience;
    m_stop.store(true, std::memory_order_release);
    if (m_running)
        pthread_join(m_thread, nullptr);
    m_running = false;
    g_getTimestamp.store(nullptr, std::memory_order_release);
    // Let go, so that torch.profiler or Nsight can have it; never cuptiFinalize, which isn't safe from a thread like
    // this one while anybody else may use CUPTI (CAPTURE.md section 4.3). The library stays loaded.
    unsubscribe();
    m_buffers += BufferPool::instance().thrownAway();
    BufferPool::instance().trim();
    m_state = State::Absent;
    logLine("CUPTI released: %llu dropped by CUPTI, %llu buffers lost", static_cast<unsigned long long>(m_dropped),
            static_cast<unsigned long long>(m_buffers));
}

} // namespace tuneline::agent::cupti
