// SPDX-License-Identifier: MIT
// Tier 2: what the agent's header-free observer can't know. Takes the observer's place while a capture of detail full
// runs: one callback for all scopes, inputs read inside its start only, nothing of LibTorch kept. Talks to the agent
// through agent_api.h; the agent loads this library only if it was built for the LibTorch in the process.
#include "capture/agent/agent_api.h"
#include "capture/torch/valuetexts.h"

#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <atomic>
#include <cstdint>
#include <memory>

#define TUNELINE_EXPORT extern "C" __attribute__((visibility("default")))

// The agent reads this from the file, before it loads it: loading a bridge of another LibTorch would load that one too.
extern "C" {
extern __attribute__((visibility("default"))) const char tuneline_torch_build[];
}
const char tuneline_torch_build[] = "tuneline-torch-bridge " TORCH_VERSION ";";

namespace {

using tuneline::torch_bridge::TextBuffer;

std::atomic<const tuneline_agent_api *> g_api{nullptr};
at::CallbackHandle g_handle = 0;

// A LibTorch of the other std::string ABI lacks this symbol: then dlopen fails, instead of reading nonsense.
[[maybe_unused]] void (*const volatile g_abiCheck)(const char *, const char *, std::uint32_t,
                                                   const std::string &) = &c10::detail::torchCheckFail;

struct Texts
{
    TextBuffer shapes;
    TextBuffer types;
};

void describe(const at::RecordFunction &function, const tuneline_agent_api &api, std::uint64_t id) noexcept
{
    // Per thread, and on the heap: TLS of a late-loaded library must stay small.
    static thread_local std::unique_ptr<Texts> texts;
    const char *shapes = nullptr;
    const char *types = nullptr;
    try {
        if (!texts)
            texts = std::make_unique<Texts>();
        if (const auto inputs = function.inputs(); !inputs.empty()) {
            tuneline::torch_bridge::describeInputs(inputs, texts->shapes, texts->types);
            shapes = texts->shapes.overflowed() ? nullptr : texts->shapes.data();
            types = texts->types.overflowed() ? nullptr : texts->types.data();
        }
    } catch (...) {
        shapes = types = nullptr; // symbolic sizes and the like: the operator is recorded without
    }
    api.op_detail(id, function.seqNr(), function.forwardThreadId(), function.threadId(), shapes,
                  shapes ? texts->shapes.length() : 0, types, types ? texts->types.length() : 0);
}

std::unique_ptr<at::ObserverContext> onStart(const at::RecordFunction &function)
{
    if (const tuneline_agent_api *api = g_api.load(std::memory_order_acquire)) {
        const std::uint64_t id =
            api->op_begin(&function, function.name(), static_cast<std::uint32_t>(function.scope()));
        if (id != 0)
            describe(function, *api, id);
    }
    return nullptr;
}

void onEnd(const at::RecordFunction &function, at::ObserverContext * /*context*/)
{
    if (const tuneline_agent_api *api = g_api.load(std::memory_order_acquire))
        api->op_end(&function);
}

} // namespace

TUNELINE_EXPORT const char *tuneline_torch_version(void)
{
    return TORCH_VERSION;
}

TUNELINE_EXPORT int tuneline_torch_start(const tuneline_agent_api *api)
{
    if (!api || api->version != TUNELINE_AGENT_API_VERSION || g_handle != 0)
        return 1;
    g_api.store(api, std::memory_order_release);
    try {
        g_handle = at::addGlobalCallback(
            at::RecordFunctionCallback(onStart, onEnd)
                .needsInputs(true)
                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE}));
    } catch (...) {
        return 1;
    }
    return 0;
}

// The interface stays: operators that are running still report their end through it.
TUNELINE_EXPORT void tuneline_torch_stop(void)
{
    if (g_handle == 0)
        return;
    try {
        at::removeCallback(g_handle);
    } catch (...) { // it was removed by somebody else (clearCallbacks)
    }
    g_handle = 0;
}
