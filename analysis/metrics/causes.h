// SPDX-License-Identifier: GPL-3.0-or-later
// Why a device is idle, or what a host thread does (DESIGN section 4), and sums of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tuneline::analysis {

// In the order of precedence, first match wins, as DESIGN section 4 has it.
enum class IdleCause : std::uint8_t {
    NotMeasurable, // may be an artefact of the recording: never evidence
    InputWait,
    Checkpoint,
    Compilation,
    Allocation,
    Synchronisation,
    LaunchCalls,
    HostOperators,
    HostCode,
    DeviceWait,
    Unknown,
};
inline constexpr std::size_t kIdleCauses = 11;
[[nodiscard]] const char *toString(IdleCause cause) noexcept; // "input_wait", …: the key of CLI.md without _ns
[[nodiscard]] const char *causeName(IdleCause cause) noexcept; // "input wait", …: the word of DESIGN section 4

struct IdleBreakdown
{
    std::array<std::int64_t, kIdleCauses> ns{};

    [[nodiscard]] std::int64_t of(IdleCause cause) const noexcept { return ns[static_cast<std::size_t>(cause)]; }
    std::int64_t &operator[](IdleCause cause) noexcept { return ns[static_cast<std::size_t>(cause)]; }
    [[nodiscard]] std::int64_t total() const noexcept; // all of them, NotMeasurable included
    IdleBreakdown &operator+=(const IdleBreakdown &other) noexcept;
};

} // namespace tuneline::analysis
