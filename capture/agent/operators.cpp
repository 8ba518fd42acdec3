// SPDX-License-Identifier: MIT
#include "capture/agent/operators.h"

#include "capture/agent/clock.h"
#include "capture/agent/recorder.h"

#include <cstring>

namespace tuneline::agent {

namespace {

TorchLibrary::NameFunction g_name = nullptr;
std::atomic<StepTracker *> g_tracker{nullptr};
std::atomic<bool> g_trainingBegan{false};

constexpr auto kFunction = static_cast<std::uint32_t>(format::OpScope::Function);
constexpr auto kBackward = static_cast<std::uint32_t>(format::OpScope::Backward);
constexpr auto kUser = static_cast<std::uint32_t>(format::OpScope::User);

bool startsWith(const char *text, const char *prefix) noexcept
{
    return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

// at::RecordFunctionCallback's start returns std::unique_ptr<ObserverContext>: a hidden pointer to the result, which is
// returned as well (Itanium ABI, non-trivial class). We have no context: null.
template <std::uint32_t scope> void *onStart(void **result, const void *recordFunction) noexcept
{
    *result = nullptr;
    if (!g_hot.armed.load(std::memory_order_relaxed))
        return result;
    const char *name = g_name(recordFunction);
    if constexpr (scope == kUser)
        noteUserScope(name);
    beginOp(recordFunction, name, scope);
    return result;
}

void *onAutogradNode(void **result, const void * /*recordFunction*/) noexcept
{
    *result = nullptr;
    g_trainingBegan.store(true, std::memory_order_relaxed);
    return result;
}

void onEnd(const void *recordFunction, void * /*context*/) noexcept
{
    endOp(recordFunction);
}

} // namespace

void setStepWatcher(StepTracker *tracker) noexcept
{
    g_tracker = tracker;
}

void noteUserScope(const char *name) noexcept
{
    StepTracker *tracker = g_tracker.load(std::memory_order_acquire);
    if (!tracker || !name)
        return;
    if (startsWith(name, "ProfilerStep"))
        tracker->onStep(StepSource::ProfilerStep, nullptr, hostNow());
    else if (startsWith(name, "Optimizer.step#"))
        tracker->onStep(StepSource::Optimizer, name, hostNow());
}

bool Operators::prepare(StepTracker &tracker) noexcept
{
    if (!m_torch.observable())
        m_torch = TorchLibrary::find();
    if (!m_torch.observable())
        return false;
    g_name = m_torch.nameFunction();
    setStepWatcher(&tracker);
    return true;
}

bool Operators::watchSteps(StepTracker &tracker) noexcept
{
    if (!prepare(tracker))
        return false;
    if (m_userHandle == 0)
        m_userHandle = m_torch.add(reinterpret_cast<void *>(onStart<kUser>), reinterpret_cast<void *>(onEnd), kUser);
    return m_userHandle != 0;
}

bool Operators::watchTraining() noexcept
{
    if (m_trainingHandle != 0 || !m_torch.observable())
        return m_trainingHandle != 0;
    g_trainingBegan = false;
    m_trainingHandle =
        m_torch.add(reinterpret_cast<void *>(onAutogradNode), reinterpret_cast<void *>(onEnd), kBackward);
    return m_trainingHandle != 0;
}

bool Operators::trainingBegan() noexcept
{
    const bool began = m_trainingHandle != 0 && g_trainingBegan.load(std::memory_order_relaxed);
    if (began)
        stopTraining();
    return began;
}

void Operators::stopTraining() noexcept
{
    if (m_trainingHandle != 0)
        m_torch.remove(m_trainingHandle);
    m_trainingHandle = 0;
}

bool Operators::start(StepTracker &tracker) noexcept
{
    if (!watchSteps(tracker))
        return false;
    const auto add = [this](void *(*callback)(void **, const void *) noexcept, std::uint32_t scope) {
        const std::uint64_t handle =
            m_torch.add(reinterpret_cast<void *>(callback), reinterpret_cast<void *>(onEnd), scope);
        if (handle != 0)
            m_operatorHandles.push_back(handle);
    };
    add(onStart<kFunction>, kFunction);
    add(onStart<kBackward>, kBackward);
    return m_operatorHandles.size() == 2;
}

void Operators::stopOperators() noexcept
{
    for (const std::uint64_t handle : m_operatorHandles)
        m_torch.remove(handle);
    m_operatorHandles.clear();
}

void Operators::stopUserScopes() noexcept
{
    if (m_userHandle != 0)
        m_torch.remove(m_userHandle);
    m_userHandle = 0;
}

void Operators::stop() noexcept
{
    stopOperators();
    stopUserScopes();
    stopTraining();
    setStepWatcher(nullptr);
}

} // namespace tuneline::agent
