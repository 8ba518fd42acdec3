// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/apinames.h"

#include "capture/agent/names.h"

namespace tuneline::agent::cupti {

namespace {

constexpr std::uint32_t kMaxCallback = 4096; // CUDA 13.0 has 513 runtime and 770 driver ids
constexpr std::uint32_t kUnknownInARow = 64; // so many ids without a name: the list is over

bool startsWith(std::string_view text, std::string_view prefix) noexcept
{
    return text.substr(0, prefix.size()) == prefix;
}

} // namespace

std::string_view plainName(std::string_view name) noexcept
{
    const auto cutOne = [&name] {
        for (const std::string_view suffix : {"_ptsz", "_ptds"}) { // per-thread default stream
            if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
                name.remove_suffix(suffix.size());
                return true;
            }
        }
        const std::size_t version = name.rfind("_v");
        if (version == std::string_view::npos || version == 0 || version + 2 >= name.size()
            || name.find_first_not_of("0123456789", version + 2) != std::string_view::npos)
            return false;
        name = name.substr(0, version);
        return true;
    };
    while (cutOne()) { }
    return name;
}

bool isKernelLaunch(std::string_view name) noexcept
{
    return startsWith(name, "cudaLaunchKernel") || startsWith(name, "__cudaLaunchKernel")
        || startsWith(name, "cudaLaunchCooperativeKernel") || startsWith(name, "cuLaunchKernel")
        || startsWith(name, "cuLaunchCooperativeKernel");
}

bool isKept(std::string_view name) noexcept
{
    static constexpr std::string_view kPrefixes[]{"cudaLaunch",
                                                  "__cudaLaunchKernel",
                                                  "cudaMemcpy",
                                                  "cudaMemset",
                                                  "cudaMemPrefetch",
                                                  "cudaMalloc",
                                                  "cudaFree",
                                                  "cudaHostAlloc",
                                                  "cudaHostRegister",
                                                  "cudaHostUnregister",
                                                  "cudaStreamSynchronize",
                                                  "cudaDeviceSynchronize",
                                                  "cudaThreadSynchronize",
                                                  "cudaEventSynchronize",
                                                  "cudaStreamWaitEvent",
                                                  "cudaEventRecord",
                                                  "cudaGraphLaunch",
                                                  "cudaGraphInstantiate",
                                                  "cudaGraphUpload",
                                                  "cudaGraphExecUpdate",
                                                  "cudaLibraryLoad",
                                                  "cudaDeviceReset",
                                                  "cudaMemPoolTrim", //
                                                  "cuLaunch",
                                                  "cuMemcpy",
                                                  "cuMemset",
                                                  "cuMemPrefetch",
                                                  "cuMemAlloc",
                                                  "cuMemFree",
                                                  "cuMemHostAlloc",
                                                  "cuMemHostRegister",
                                                  "cuMemHostUnregister",
                                                  "cuMemCreate",
                                                  "cuMemRelease",
                                                  "cuMemMap",
                                                  "cuMemUnmap",
                                                  "cuMemSetAccess",
                                                  "cuMemPoolTrim",
                                                  "cuCtxSynchronize",
                                                  "cuStreamSynchronize",
                                                  "cuEventSynchronize",
                                                  "cuStreamWaitEvent",
                                                  "cuEventRecord",
                                                  "cuGraphLaunch",
                                                  "cuGraphInstantiate",
                                                  "cuGraphUpload",
                                                  "cuGraphExecUpdate",
                                                  "cuModuleLoad",
                                                  "cuLibraryLoad",
                                                  "cuLinkComplete",
                                                  "cuStreamWaitValue",
                                                  "cuStreamWriteValue"};
    for (const std::string_view prefix : kPrefixes) {
        if (startsWith(name, prefix))
            return true;
    }
    return false;
}

std::string ApiNames::nameOf(std::uint32_t domain, std::uint32_t callback) const
{
    const char *name = nullptr;
    if (m_library.getCallbackName(domain, callback, &name) != kSuccess || !name)
        return {};
    return std::string(plainName(name));
}

const ApiCall &ApiNames::call(std::uint32_t domain, std::uint32_t callback)
{
    static const ApiCall kNone;
    const std::size_t side = domain == kDomainRuntime ? 0 : 1;
    if (callback >= kMaxCallback)
        return kNone;
    if (callback >= m_calls[side].size()) {
        m_calls[side].resize(callback + 64U);
        m_known[side].resize(callback + 64U);
    }
    ApiCall &entry = m_calls[side][callback];
    if (!m_known[side][callback]) {
        m_known[side][callback] = true;
        std::string name = nameOf(domain, callback);
        if (name.empty())
            name = (side == 0 ? "runtime call " : "driver call ") + std::to_string(callback);
        entry.name = NameTable::instance().intern(name).id;
        entry.kept = isKept(name);
        entry.kernelLaunch = isKernelLaunch(name);
        entry.graphLaunch = startsWith(name, "cudaGraphLaunch") || startsWith(name, "cuGraphLaunch");
    }
    return entry;
}

std::uint32_t ApiNames::silenceOthers()
{
    std::uint32_t silenced = 0;
    const auto silence = [&](std::uint32_t domain, int (*enable)(std::uint32_t, std::uint8_t)) {
        std::uint32_t unknown = 0;
        for (std::uint32_t callback = 1; enable && callback < kMaxCallback && unknown < kUnknownInARow; ++callback) {
            const std::string name = nameOf(domain, callback);
            unknown = name.empty() ? unknown + 1 : 0;
            if (!name.empty() && !isKept(name) && enable(callback, 0) == kSuccess)
                ++silenced;
        }
    };
    silence(kDomainRuntime, m_library.enableRuntimeApi);
    silence(kDomainDriver, m_library.enableDriverApi);
    return silenced;
}

} // namespace tuneline::agent::cupti
