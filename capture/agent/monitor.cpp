// SPDX-License-Identifier: MIT
#include "capture/agent/monitor.h"

#include "capture/agent/clock.h"
#include "capture/agent/gpus.h"
#include "capture/agent/log.h"
#include "capture/agent/machinefacts.h"
#include "capture/agent/writer.h"

#include <cerrno>

namespace tuneline::agent {

namespace {
constexpr std::int64_t kSampleNs = 100 * kMillisecond; // as the CPUs; NVML's own figures change no faster
constexpr int kProcessesEvery = 10; // samples
constexpr int kSearchEvery = 10; // periods without a GPU
} // namespace

Monitor::Monitor(FrameFile &file) noexcept
    : m_file(file)
    , m_out(file)
{
    sem_init(&m_wake, 0, 0);
}

Monitor::~Monitor()
{
    stop();
    sem_destroy(&m_wake);
}

int Monitor::start(const std::string &path) noexcept
{
    try {
        m_path = path;
    } catch (...) {
        return ENOMEM;
    }
    const int error = startThread(m_thread, "tuneline-facts", run, this);
    m_running = error == 0;
    return error;
}

void Monitor::setRecording(bool recording) noexcept
{
    if (m_recording.exchange(recording) != recording)
        sem_post(&m_wake);
}

void Monitor::stop() noexcept
{
    if (!m_running)
        return;
    m_stop.store(true);
    sem_post(&m_wake);
    pthread_join(m_thread, nullptr);
    m_running = false;
}

void *Monitor::run(void *self) noexcept
{
    auto *monitor = static_cast<Monitor *>(self);
    try {
        monitor->loop();
    } catch (...) {
        logLine("monitor: out of memory");
    }
    monitor->m_out.flush();
    return nullptr;
}

bool Monitor::pause() noexcept
{
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kSampleNs;
    until.tv_sec += until.tv_nsec / kSecond;
    until.tv_nsec %= kSecond;
    while (sem_timedwait(&m_wake, &until) != 0 && errno == EINTR) { }
    return !m_stop.load();
}

void Monitor::loop()
{
    JsonWriter machine;
    writeMachineFacts(machine, m_path);
    m_file.writeMetadata(machine.take());
    int period = 0;
    int samples = 0;
    bool before = false;
    do {
        const bool recording = m_recording.load();
        if (!m_state && (recording || period++ % kSearchEvery == 0))
            lookForGpus();
        if (recording)
            sample(samples++ % kProcessesEvery == 0);
        else if (before)
            sample(true);
        before = recording;
    } while (pause());
    if (before)
        sample(true);
}

// In the warm-up as a rule: the program has made its contexts by then, and CUPTI doesn't record our questions yet.
void Monitor::lookForGpus()
{
    const std::vector<GpuAddress> found = gpusInUse();
    if (found.empty())
        return;
    if (!m_nvml)
        m_nvml = nvml::Library::open(m_why);
    m_state = m_nvml ? "on" : m_why.empty() ? "absent" : "failed";
    for (const GpuAddress &address : found) {
        if (nvml::Device device = m_nvml ? m_nvml->find(address.pciBusId, address.uuid) : nullptr)
            m_gpus.push_back(std::make_unique<nvml::Gpu>(*m_nvml, device, address));
    }
    writeFirst();
}

// At once: a killed process writes no last metadata.
void Monitor::writeFirst()
{
    JsonWriter json;
    writeGpus(json, [this](JsonWriter &gpu, int id) { writeGpuFacts(gpu, id); });
    writeNvml(json);
    m_file.writeMetadata(json.take());
}

void Monitor::sample(bool processes)
{
    for (const auto &gpu : m_gpus) {
        gpu->sample(hostNow(), m_out);
        if (processes)
            gpu->lookAtProcesses();
    }
    m_out.flush();
}

void Monitor::writeGpuFacts(JsonWriter &json, int id) const
{
    for (const auto &gpu : m_gpus) {
        if (gpu->id() == id)
            gpu->writeFacts(json);
    }
}

void Monitor::writeNvml(JsonWriter &json) const
{
    if (!m_state)
        return;
    json.beginObject("nvml");
    json.text("state", m_state);
    if (!m_why.empty())
        json.text("message", m_why);
    json.endObject();
    if (const std::string driver = m_nvml ? m_nvml->driverVersion() : std::string(); !driver.empty())
        json.text("gpu_driver", driver);
}

} // namespace tuneline::agent
