// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/cudanames.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace tuneline::analysis {

MemoryKind memoryKindOfCupti(std::int64_t kind) noexcept
{
    constexpr std::array kKinds{MemoryKind::Unknown, MemoryKind::Pageable, MemoryKind::Pinned, MemoryKind::Device,
                                MemoryKind::Array,   MemoryKind::Managed,  MemoryKind::Device, MemoryKind::Managed};
    return kind >= 0 && static_cast<std::size_t>(kind) < kKinds.size() ? kKinds[static_cast<std::size_t>(kind)]
                                                                       : MemoryKind::Unknown;
}

const char *memoryWord(MemoryKind kind) noexcept
{
    constexpr std::array kWords{"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed"};
    return kWords[static_cast<std::size_t>(kind)];
}

std::pair<CopyKind, const char *> copyKindOfCupti(std::int64_t kind) noexcept
{
    using Entry = std::pair<CopyKind, const char *>;
    constexpr std::array kKinds{
        Entry{CopyKind::Unknown, "Unknown"},           Entry{CopyKind::HostToDevice, "HtoD"},
        Entry{CopyKind::DeviceToHost, "DtoH"},         Entry{CopyKind::HostToDevice, "HtoA"},
        Entry{CopyKind::DeviceToHost, "AtoH"},         Entry{CopyKind::DeviceToDevice, "AtoA"},
        Entry{CopyKind::DeviceToDevice, "AtoD"},       Entry{CopyKind::DeviceToDevice, "DtoA"},
        Entry{CopyKind::DeviceToDevice, "DtoD"},       Entry{CopyKind::HostToHost, "HtoH"},
        Entry{CopyKind::PeerToPeer, "PtoP"},           Entry{CopyKind::HostToDevice, "unified HtoD"},
        Entry{CopyKind::DeviceToHost, "unified DtoH"}, Entry{CopyKind::DeviceToDevice, "unified DtoD"},
    };
    return kind >= 0 && static_cast<std::size_t>(kind) < kKinds.size() ? kKinds[static_cast<std::size_t>(kind)]
                                                                       : kKinds[0];
}

std::string copyName(const char *direction, const CopyDetail &detail)
{
    return std::string("Memcpy ") + direction + " (" + memoryWord(detail.source) + " -> "
        + memoryWord(detail.destination) + ")";
}

const char *syncName(std::int64_t type) noexcept
{
    constexpr std::array kNames{"Synchronisation", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
    return kNames[type > 0 && type < static_cast<std::int64_t>(kNames.size()) ? static_cast<std::size_t>(type) : 0];
}

std::string_view withoutVersion(std::string_view call) noexcept
{
    const std::size_t mark = call.rfind("_v");
    const bool version = mark != std::string_view::npos && mark + 2 < call.size()
        && std::all_of(call.begin() + static_cast<std::ptrdiff_t>(mark) + 2, call.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
    return version ? call.substr(0, mark) : call;
}

std::string demangled(std::string_view name)
{
    const std::string text{name};
    std::unique_ptr<char, decltype(&std::free)> plain(nullptr, &std::free);
    if (text.starts_with("_Z"))
        plain.reset(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, nullptr));
    return plain ? std::string(plain.get()) : text;
}

} // namespace tuneline::analysis
