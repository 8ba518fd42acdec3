// SPDX-License-Identifier: MIT
#include "tests/fakes/faketorch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace at {

struct ObserverContext
{
    virtual ~ObserverContext() = default;
};

// Name as the real class, other members: the agent may use nothing of it but name().
struct RecordFunction
{
    std::string text;
    const char *name() const;
};
const char *RecordFunction::name() const
{
    return text.c_str();
}

// Layout of the real class (the same in 1.13 and 2.x).
class RecordFunctionCallback
{
public:
    std::unique_ptr<ObserverContext> (*start)(const RecordFunction &);
    void (*end)(const RecordFunction &, ObserverContext *);
    double samplingProbability;
    std::array<bool, 10> scopes;
    bool needsInputs, needsOutputs, needsIds;
};

namespace {
std::mutex g_mutex;
std::vector<std::pair<std::uint64_t, RecordFunctionCallback>> g_callbacks;
std::uint64_t g_next = 1;
} // namespace

std::uint64_t addGlobalCallback(RecordFunctionCallback callback)
{
    const std::lock_guard lock(g_mutex);
    g_callbacks.emplace_back(g_next, callback);
    return g_next++;
}

void removeCallback(std::uint64_t handle)
{
    const std::lock_guard lock(g_mutex);
    std::erase_if(g_callbacks, [handle](const auto &entry) { return entry.first == handle; });
}

} // namespace at

namespace torch::profiler::impl {

// Is the program's own torch.profiler at work on this thread?
bool profilerEnabled()
{
    static const bool working = std::getenv("FAKE_TORCH_PROFILING") != nullptr;
    return working;
}

} // namespace torch::profiler::impl

namespace c10 {

struct Device
{
    std::int8_t type;
    std::int8_t index;
};

// The program's own profiler is off: what the agent's shim passes on ends here.
bool memoryProfilingEnabled()
{
    return false;
}
void reportMemoryUsageToProfiler(void *, std::int64_t, std::int64_t, std::int64_t, Device) { }

} // namespace c10

namespace faketorch {

void runOp(const char *name, int scope, void (*body)(void *), void *context)
{
    const at::RecordFunction function{name};
    std::vector<at::RecordFunctionCallback> active;
    {
        const std::lock_guard lock(at::g_mutex);
        for (const auto &[handle, callback] : at::g_callbacks) {
            if (callback.scopes[static_cast<std::size_t>(scope)])
                active.push_back(callback);
        }
    }
    std::vector<std::unique_ptr<at::ObserverContext>> contexts;
    for (const auto &callback : active)
        contexts.push_back(callback.start(function));
    if (body)
        body(context);
    // As the real one: who saw the start sees the end, also when it was removed in between.
    for (std::size_t i = 0; i < active.size(); ++i)
        active[i].end(function, contexts[i].get());
}

void *allocate(std::int64_t bytes)
{
    void *pointer = std::malloc(static_cast<std::size_t>(bytes));
    if (c10::memoryProfilingEnabled())
        c10::reportMemoryUsageToProfiler(pointer, bytes, bytes, 0, {0, -1});
    return pointer;
}

void release(void *pointer, std::int64_t bytes)
{
    if (c10::memoryProfilingEnabled())
        c10::reportMemoryUsageToProfiler(pointer, -bytes, 0, 0, {0, -1});
    std::free(pointer);
}

int observers()
{
    const std::lock_guard lock(at::g_mutex);
    return static_cast<int>(at::g_callbacks.size());
}

} // namespace faketorch
