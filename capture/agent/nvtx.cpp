// SPDX-License-Identifier: MIT
#include "capture/agent/nvtx.h"

#include "capture/agent/agent.h"
#include "capture/agent/hot.h"
#include "capture/agent/names.h"
#include "capture/format/records.h"

#include <cstddef>
#include <cstring>

namespace tuneline::agent {

namespace {

// Numbers of NVTX 3 (nvtxTypes.h): they never change, new ones are only appended.
constexpr std::uint32_t kTableCallbacks = 1;
constexpr int kModuleCore = 1;
constexpr int kModuleCore2 = 5;
constexpr unsigned kPushEx = 8, kPushA = 9, kPop = 11;
constexpr unsigned kDomainPushEx = 4, kDomainPop = 5, kDomainRegisterStringA = 10;

using AnyFunction = void (*)();
struct Callbacks
{
    std::size_t bytes;
    int (*getModuleFunctionTable)(int module, AnyFunction ***table, unsigned *size);
};

// nvtxEventAttributes_t, versions 2 and 3: where the message stands.
constexpr std::size_t kAttributesSize = 2, kMessageType = 32, kMessage = 40;
constexpr std::int32_t kAscii = 1, kRegistered = 3;

void push(const char *name) noexcept
{
    if (g_hot.armed.load(std::memory_order_relaxed))
        interfaceTable().mark(static_cast<std::uint32_t>(format::MarkKind::ScopeBegin), name ? name : "", nullptr, 0);
}

int pop() noexcept
{
    if (g_hot.armed.load(std::memory_order_relaxed))
        interfaceTable().mark(static_cast<std::uint32_t>(format::MarkKind::ScopeEnd), nullptr, nullptr, 0);
    return 0;
}

const char *messageOf(const void *attributes) noexcept
{
    std::uint16_t size = 0;
    std::int32_t type = 0;
    const char *message = nullptr;
    if (!attributes)
        return nullptr;
    const auto *bytes = static_cast<const std::byte *>(attributes);
    std::memcpy(&size, bytes + kAttributesSize, sizeof size);
    if (size < kMessage + sizeof message)
        return nullptr;
    std::memcpy(&type, bytes + kMessageType, sizeof type);
    std::memcpy(&message, bytes + kMessage, sizeof message);
    return type == kAscii || type == kRegistered ? message : nullptr; // registered: the text that registerString gave
}

int pushEx(const void *attributes) noexcept
{
    push(messageOf(attributes));
    return 0;
}

int pushA(const char *message) noexcept
{
    push(message);
    return 0;
}

int domainPushEx(void * /*domain*/, const void *attributes) noexcept
{
    return pushEx(attributes);
}
int domainPop(void * /*domain*/) noexcept
{
    return pop();
}

// The handle of a registered string is our own copy of it.
const char *registerString(void * /*domain*/, const char *text) noexcept
{
    if (!text || g_hot.dead.load(std::memory_order_relaxed))
        return nullptr;
    return NameTable::instance().intern(text).text;
}

struct Entry
{
    unsigned index;
    AnyFunction function;
};

template <typename Function> AnyFunction any(Function *function) noexcept
{
    return reinterpret_cast<AnyFunction>(function);
}

template <std::size_t count>
bool install(const Callbacks &callbacks, int module, const Entry (&entries)[count]) noexcept
{
    AnyFunction **table = nullptr;
    unsigned size = 0;
    if (callbacks.getModuleFunctionTable(module, &table, &size) == 0 || !table)
        return false;
    for (const Entry &entry : entries) {
        if (entry.index < size && table[entry.index])
            *table[entry.index] = entry.function;
    }
    return true;
}

} // namespace

int attachNvtx(NvtxExportTable exportTable) noexcept
{
    const auto *callbacks = exportTable ? static_cast<const Callbacks *>(exportTable(kTableCallbacks)) : nullptr;
    if (!callbacks || callbacks->bytes < sizeof(Callbacks) || !callbacks->getModuleFunctionTable)
        return 0;
    const Entry core[] = {{kPushEx, any(pushEx)}, {kPushA, any(pushA)}, {kPop, any(pop)}};
    const Entry core2[] = {{kDomainPushEx, any(domainPushEx)},
                           {kDomainPop, any(domainPop)},
                           {kDomainRegisterStringA, any(registerString)}};
    const bool plain = install(*callbacks, kModuleCore, core);
    const bool domains = install(*callbacks, kModuleCore2, core2);
    return plain || domains ? 1 : 0;
}

} // namespace tuneline::agent
