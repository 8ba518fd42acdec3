// SPDX-License-Identifier: MIT
#include "tests/fakes/fakenvtx.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

namespace fakenvtx {

namespace {

using AnyFunction = void (*)();
constexpr unsigned kFunctions = 16, kPushA = 9, kPop = 11; // of the module CORE
AnyFunction g_core[kFunctions];
AnyFunction *g_table[kFunctions];

int getModuleFunctionTable(int module, AnyFunction ***table, unsigned *size)
{
    constexpr int kModuleCore = 1;
    *table = module == kModuleCore ? g_table : nullptr;
    *size = kFunctions;
    return *table ? 1 : 0;
}

const void *exportTable(std::uint32_t id)
{
    struct Callbacks
    {
        std::size_t bytes;
        int (*get)(int, AnyFunction ***, unsigned *);
    };
    static const Callbacks callbacks{sizeof(Callbacks), getModuleFunctionTable};
    return id == 1 ? &callbacks : nullptr;
}

} // namespace

bool start()
{
    for (unsigned i = 0; i < kFunctions; ++i)
        g_table[i] = &g_core[i];
    const char *path = std::getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : nullptr;
    using Initialize = int (*)(const void *(*)(std::uint32_t));
    const auto initialize =
        library ? reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2")) : nullptr;
    return initialize && initialize(exportTable) == 1;
}

void push(const char *name)
{
    if (g_core[kPushA])
        reinterpret_cast<int (*)(const char *)>(g_core[kPushA])(name);
}

void pop()
{
    if (g_core[kPop])
        reinterpret_cast<int (*)()>(g_core[kPop])();
}

} // namespace fakenvtx
