// SPDX-License-Identifier: MIT
// The machine while a capture runs: a thread that asks NVML for the GPUs which this process uses, and reads /proc and
// /sys. A thread of its own, because such calls take milliseconds at times (measured on an H200, driver 580: 5 ms for
// the utilisation, 0.3 to 1 ms for each other figure, launches of the host unchanged), and the writer must not wait.
// Inside the process rather than in the session: it follows into containers, onto nodes that a launcher chose, and is
// in the file whatever becomes of the session. Control thread, except for the thread inside.
#pragma once

#include "capture/agent/batches.h"
#include "capture/agent/json.h"
#include "capture/agent/nvml/gpu.h"
#include "capture/agent/nvml/library.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <vector>

namespace tuneline::agent {

class Monitor
{
public:
    explicit Monitor(FrameFile &file) noexcept;
    ~Monitor();
    Monitor(const Monitor &) = delete;
    Monitor &operator=(const Monitor &) = delete;

    // path: of the capture. errno, 0 = done.
    int start(const std::string &path) noexcept;
    // From the window's opening to its end the GPUs are sampled, first and last at those moments.
    void setRecording(bool recording) noexcept;
    // Ends the thread. What it learnt stays.
    void stop() noexcept;

    // Metadata of one GPU; nothing for one that this process doesn't use. After stop().
    void writeGpuFacts(JsonWriter &json, int id) const;
    // Metadata `nvml`, and gpu_driver where the kernel's file didn't tell. After stop().
    void writeNvml(JsonWriter &json) const;

private:
    static void *run(void *self) noexcept;
    void loop();
    void lookForGpus();
    void writeFirst();
    void sample(bool processes);
    [[nodiscard]] bool pause() noexcept; // false: stop

    FrameFile &m_file;
    Batches m_out;
    std::string m_path;
    pthread_t m_thread{};
    bool m_running = false;
    sem_t m_wake{};
    std::atomic<bool> m_stop{false}, m_recording{false};

    // The thread's own while it runs.
    std::unique_ptr<nvml::Library> m_nvml;
    std::vector<std::unique_ptr<nvml::Gpu>> m_gpus;
    const char *m_state = nullptr; // metadata nvml.state; null = nobody asked, there is no CUDA here
    std::string m_why;
};

} // namespace tuneline::agent
