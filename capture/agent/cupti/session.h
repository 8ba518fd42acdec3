// SPDX-License-Identifier: MIT
// CUPTI for one capture: takes the subscription, enables the activity kinds of the detail level, flushes and decodes on
// a thread of its own, lets go again. Never fights for CUPTI: when another tool holds it, start() says who, and the
// capture goes on without the device, unless the caller knows that the holder sleeps (ownprofiler.h): records can be
// had without the subscription, whoever registered buffers last gets them. Control thread, except for the thread
// inside.
#pragma once

#include "capture/agent/batches.h"
#include "capture/agent/cupti/decode.h"
#include "capture/agent/steptracker.h"
#include "capture/agent/writer.h"
#include "capture/format/control.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <string>
#include <vector>

namespace tuneline::agent::cupti {

enum class State { Absent, On, Busy, Failed };
enum class Subscription { Own, None }; // None: somebody else's subscription stays where it is

class Session
{
public:
    Session(FrameFile &file, const StepTracker &tracker) noexcept
        : m_tracker(tracker)
        , m_out(file)
    { }
    ~Session() { stop(0); }

    State start(format::Detail detail, format::Graphs graphs, const std::string &torchPath,
                Subscription subscription) noexcept;
    // Switches off, waits up to `patience` ns for the kernels that the window launched, takes what there is.
    void stop(std::int64_t patience) noexcept;

    [[nodiscard]] State state() const noexcept { return m_state; }
    [[nodiscard]] int error() const noexcept { return m_error; } // CUPTI's result
    [[nodiscard]] const std::string &message() const noexcept { return m_message; } // in words, for the user
    [[nodiscard]] const std::string &holder() const noexcept { return m_holder; } // who holds CUPTI; "" = not known
    // As Kineto's is: before CUDA 13 no name can be had, since then CUPTI makes one up for those who gave none.
    [[nodiscard]] bool holderGaveNoName() const noexcept
    {
        return m_holder.empty() || m_holder.find("<not provided>") != std::string::npos;
    }
    [[nodiscard]] std::uint32_t version() const noexcept { return m_library ? m_library->version : 0; }
    [[nodiscard]] std::uint64_t droppedByCupti() const noexcept { return m_dropped; }
    [[nodiscard]] std::uint64_t droppedBuffers() const noexcept { return m_buffers; }
    [[nodiscard]] std::uint64_t unknownKinds() const noexcept { return m_decoder ? m_decoder->unknownKinds() : 0; }
    [[nodiscard]] std::uint64_t implausible() const noexcept { return m_decoder ? m_decoder->implausible() : 0; }
    [[nodiscard]] std::uint64_t unfinished() const noexcept { return m_decoder ? m_decoder->unfinished() : 0; }

    // cuptiGetTimestamp, for the writer's clock records. Only while a session is on.
    static std::int64_t deviceNow() noexcept;

private:
    int subscribe() noexcept;
    void unsubscribe() noexcept;
    State giveUp(int result, const char *what) noexcept;
    void enableKinds(format::Detail detail, format::Graphs graphs);
    static void *run(void *self) noexcept;
    void loop() noexcept;
    void flushAndDecode(std::uint32_t flag) noexcept;
    void lookForWindow() noexcept;

    const StepTracker &m_tracker;
    Batches m_out;
    const Library *m_library = nullptr;
    std::unique_ptr<ApiNames> m_names;
    std::unique_ptr<Decoder> m_decoder;
    std::vector<Kind> m_enabled;
    void *m_subscriber = nullptr;
    State m_state = State::Absent;
    int m_error = 0;
    std::string m_message;
    std::string m_holder;
    pthread_t m_thread{};
    bool m_running = false;
    std::atomic<bool> m_stop{false};
    std::int64_t m_patience = 0;
    std::uint64_t m_dropped = 0;
    std::uint64_t m_buffers = 0;
};

} // namespace tuneline::agent::cupti
