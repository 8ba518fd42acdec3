// SPDX-License-Identifier: MIT
#include "capture/agent/torchlibrary.h"

#include "capture/agent/forkguard.h"
#include "capture/agent/log.h"
#include "capture/agent/target.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace tuneline::agent {

namespace {

// Our mirror of at::RecordFunctionCallback, passed by value as the original is.
struct RecordFunctionCallback
{
    void *start = nullptr;
    void *end = nullptr;
    double samplingProbability = 1.0;
    std::array<bool, 10> scopes{};
    bool needsInputs = false;
    bool needsOutputs = false;
    bool needsIds = false;
};

constexpr char kAdd[] = "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE";
constexpr char kName[] = "_ZNK2at14RecordFunction4nameEv";
constexpr char kRemove[] = "_ZN2at14removeCallbackEm";
constexpr char kProfilerEnabled[] = "_ZN5torch8profiler4impl15profilerEnabledEv";

// A pip wheel: …/torch/lib/libtorch_cpu.so, and …/torch/version.py with the line __version__ = '2.11.0+cu130'.
std::string versionOfWheel(const std::string &path) noexcept
{
    const std::size_t lib = path.rfind("/lib/");
    if (lib == std::string::npos)
        return {};
    std::FILE *file = std::fopen((path.substr(0, lib) + "/version.py").c_str(), "re");
    if (!file)
        return {};
    char line[256];
    std::string version;
    while (version.empty() && std::fgets(line, sizeof line, file)) {
        char found[64] = {};
        if (std::sscanf(line, "__version__ = '%63[^']'", found) == 1)
            version = found;
    }
    std::fclose(file);
    return version;
}

} // namespace

TorchLibrary TorchLibrary::find() noexcept
{
    TorchLibrary torch;
    torch.m_path = mappedLibrary("libtorch_cpu.so");
    if (torch.m_path.empty())
        return torch;
    const ForkGuard guard;
    torch.m_handle = dlopen(torch.m_path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (!torch.m_handle)
        return torch;
    torch.m_add = dlsym(torch.m_handle, kAdd);
    torch.m_name = reinterpret_cast<NameFunction>(dlsym(torch.m_handle, kName));
    torch.m_remove = reinterpret_cast<void (*)(std::uint64_t)>(dlsym(torch.m_handle, kRemove));
    torch.m_profilerEnabled = reinterpret_cast<bool (*)()>(dlsym(torch.m_handle, kProfilerEnabled));
    logLine("libtorch %s observable=%d", torch.m_path.c_str(), torch.observable());
    return torch;
}

std::string TorchLibrary::version() const noexcept
{
    // Debian: libtorch_cpu.so.1.13, a link to libtorch_cpu.so.1.13.0.
    char *real = realpath(m_path.c_str(), nullptr);
    std::string path = real ? real : m_path;
    std::free(real);
    const std::size_t suffix = path.rfind(".so.");
    if (suffix != std::string::npos)
        return path.substr(suffix + 4);
    return versionOfWheel(path);
}

std::uint64_t TorchLibrary::add(void *start, void *end, std::uint32_t scope) const noexcept
{
    RecordFunctionCallback callback;
    callback.start = start;
    callback.end = end;
    callback.scopes[scope] = true;
    const ForkGuard guard;
    try {
        return reinterpret_cast<std::uint64_t (*)(RecordFunctionCallback)>(m_add)(callback);
    } catch (...) { // LibTorch threw: nothing is registered
        return 0;
    }
}

void TorchLibrary::remove(std::uint64_t handle) const noexcept
{
    const ForkGuard guard;
    try {
        m_remove(handle);
    } catch (...) {
        logLine("at::removeCallback threw");
    }
}

} // namespace tuneline::agent
