// SPDX-License-Identifier: MIT
// The LibTorch of this process as far as the agent knows it: found by path, used through dlsym, no header. The symbols
// and the layout of RecordFunctionCallback are the same in 1.13 and 2.x (CAPTURE.md sections 6.3 and 9).
#pragma once

#include <cstdint>
#include <string>

namespace tuneline::agent {

class TorchLibrary
{
public:
    // Looks again each time: Python may import torch at any moment.
    static TorchLibrary find() noexcept;

    [[nodiscard]] bool found() const noexcept { return m_handle != nullptr; }
    [[nodiscard]] bool observable() const noexcept { return m_add && m_name && m_remove; }
    [[nodiscard]] const std::string &path() const noexcept { return m_path; }
    // "1.13.0", "2.11.0+cu130"; empty if it can't be told.
    [[nodiscard]] std::string version() const noexcept;

    // Registers an observer for one at::RecordScope; start as LibTorch calls it: start(hidden result, RecordFunction*).
    // Returns the handle for remove(). Control thread only.
    std::uint64_t add(void *start, void *end, std::uint32_t scope) const noexcept;
    void remove(std::uint64_t handle) const noexcept;

    // torch::profiler::impl::profilerEnabled(): is torch.profiler recording on the calling thread? nullptr: not
    // exported.
    [[nodiscard]] auto profilerEnabledFunction() const noexcept -> bool (*)() { return m_profilerEnabled; }

    using NameFunction = const char *(*)(const void *recordFunction);
    [[nodiscard]] NameFunction nameFunction() const noexcept { return m_name; }

private:
    void *m_handle = nullptr;
    void *m_add = nullptr;
    NameFunction m_name = nullptr;
    void (*m_remove)(std::uint64_t) = nullptr;
    bool (*m_profilerEnabled)() = nullptr;
    std::string m_path;
};

} // namespace tuneline::agent
