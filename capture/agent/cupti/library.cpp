// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/library.h"

#include "capture/agent/forkguard.h"
#include "capture/agent/log.h"
#include "capture/agent/target.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

namespace tuneline::agent::cupti {

namespace {

// 0 = not known.
int driverMajor() noexcept
{
    void *cuda = openMapped("libcuda.so");
    const auto version = cuda ? reinterpret_cast<int (*)(int *)>(dlsym(cuda, "cuDriverGetVersion")) : nullptr;
    int number = 0;
    return version && version(&number) == 0 ? number / 1000 : 0;
}

std::vector<std::string> sonames()
{
    std::vector<std::string> names;
    const int major = driverMajor();
    if (major >= 12)
        names.push_back("libcupti.so." + std::to_string(major));
    for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"})
        names.emplace_back(name);
    return names;
}

// Where to look, best first. Full paths and bare names mixed.
std::vector<std::string> places(const std::string &torchPath)
{
    std::vector<std::string> folders;
    // A pip wheel: …/site-packages/torch/lib/libtorch_cpu.so beside …/site-packages/nvidia/….
    const std::size_t lib = torchPath.rfind("/lib/");
    const std::size_t package = lib == std::string::npos ? lib : torchPath.rfind('/', lib - 1);
    if (package != std::string::npos) {
        const std::string site = torchPath.substr(0, package);
        for (const char *folder : {"/nvidia/cuda_cupti/lib/", "/nvidia/cu13/lib/"})
            folders.push_back(site + folder);
        folders.push_back(torchPath.substr(0, lib) + "/lib/");
    }
    folders.emplace_back(); // the loader's own search
    for (const char *folder : {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"})
        folders.emplace_back(folder);
    std::vector<std::string> all;
    for (const std::string &folder : folders) {
        for (const std::string &name : sonames())
            all.push_back(folder + name);
    }
    return all;
}

void *open(const std::string &torchPath)
{
    const ForkGuard guard;
    const char *chosen = std::getenv("TUNELINE_CUPTI_LIBRARY");
    if (chosen && *chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (void *mapped = openMapped("libcupti.so"))
        return mapped;
    for (const std::string &place : places(torchPath)) {
        if (void *handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))
            return handle;
    }
    return nullptr;
}

template <typename Function> bool resolve(void *handle, const char *symbol, Function &function) noexcept
{
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    if (!function)
        logLine("libcupti has no %s", symbol);
    return function != nullptr;
}

bool resolveAll(Library &library) noexcept
{
    void *handle = library.handle;
    resolve(handle, "cuptiSetThreadIdType", library.setThreadIdType);
    resolve(handle, "cuptiSubscribe_v2", library.subscribeV2);
    resolve(handle, "cuptiActivityEnableRuntimeApi", library.enableRuntimeApi);
    resolve(handle, "cuptiActivityEnableDriverApi", library.enableDriverApi);
    return resolve(handle, "cuptiGetVersion", library.getVersion)
        && resolve(handle, "cuptiGetResultString", library.getResultString)
        && resolve(handle, "cuptiGetTimestamp", library.getTimestamp)
        && resolve(handle, "cuptiSubscribe", library.subscribe)
        && resolve(handle, "cuptiUnsubscribe", library.unsubscribe)
        && resolve(handle, "cuptiGetCallbackName", library.getCallbackName)
        && resolve(handle, "cuptiActivityRegisterCallbacks", library.registerCallbacks)
        && resolve(handle, "cuptiActivityEnable", library.enable)
        && resolve(handle, "cuptiActivityDisable", library.disable)
        && resolve(handle, "cuptiActivityFlushAll", library.flushAll)
        && resolve(handle, "cuptiActivityGetNextRecord", library.getNextRecord)
        && resolve(handle, "cuptiActivityGetNumDroppedRecords", library.getNumDroppedRecords)
        && resolve(handle, "cuptiActivitySetAttribute", library.setAttribute);
}

} // namespace

std::string Library::describe(int result) const
{
    const char *text = nullptr;
    if (getResultString(result, &text) == kSuccess && text)
        return std::string(text) + " (" + std::to_string(result) + ')';
    return "CUPTI error " + std::to_string(result);
}

bool cudaIsHere() noexcept
{
    const char *chosen = std::getenv("TUNELINE_CUPTI_LIBRARY");
    return (chosen && *chosen) || !mappedLibrary("libcuda.so").empty();
}

const Library *load(const std::string &torchPath, std::string &message) noexcept
{
    static Library &library = *new Library;
    if (library.version != 0)
        return &library;
    try {
        library.handle = open(torchPath);
        if (!library.handle) {
            message = "no libcupti was found: install CUDA's CUPTI, or name it in TUNELINE_CUPTI_LIBRARY";
            return nullptr;
        }
        if (!resolveAll(library)) {
            message = "this libcupti lacks functions that CUDA 11.0 and later have";
            return nullptr;
        }
        std::uint32_t version = 0;
        if (const int result = library.getVersion(&version); result != kSuccess || version < kVersion11_0) {
            message = "this libcupti is older than CUDA 11.0 or can't be used: version " + std::to_string(version);
            return nullptr;
        }
        Dl_info info{};
        if (dladdr(reinterpret_cast<void *>(library.getVersion), &info) != 0 && info.dli_fname)
            library.path = info.dli_fname;
        library.version = version;
        logLine("CUPTI %u: %s", version, library.path.c_str());
        return &library;
    } catch (...) {
        message = "out of memory";
        return nullptr;
    }
}

} // namespace tuneline::agent::cupti
