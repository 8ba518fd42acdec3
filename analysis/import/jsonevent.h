// SPDX-License-Identifier: GPL-3.0-or-later
// One trace event as a reader found it: its fields as tokens of the text. Both readers (simdjson's and the tolerant
// one) fill this, EventDecoder alone gives it a meaning.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tuneline::analysis::json {

// The arguments that mean something to us; all others stay in the file (Trace::argsText).
enum class Arg : std::uint8_t {
    ExternalId,
    Correlation,
    Device,
    Stream,
    Bytes,
    Bandwidth,
    Grid,
    Block,
    Registers,
    SharedMemory,
    Occupancy,
    BlocksPerSm,
    GraphNode,
    Sequence,
    ForwardThread,
    InputDims,
    InputTypes,
    ConcreteInputs,
    Name,
    Labels,
    TotalReserved,
    TotalAllocated,
    Address,
    DeviceId,
    DeviceType,
    CollectiveName,
    ProcessGroup,
    ElementsIn,
    ElementsOut,
    ElementType,
    CollectiveSequence,
    Count
};
inline constexpr std::size_t kArgCount = static_cast<std::size_t>(Arg::Count);

enum class Field : std::uint8_t { Ph, Cat, Name, Pid, Tid, Ts, Dur, Id, Id2, Scope, Count };
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::Count);

struct JsonEvent
{
    std::array<std::string_view, kFieldCount> fields; // tokens, strings with their quotes; empty = absent
    std::array<std::string_view, kArgCount> args;
    std::uint64_t argsSeen = 0; // bit by Arg: only those entries of args are valid
    std::string_view argsText; // the whole args object, where the reader has it
    std::uint64_t offset = 0; // of the event in its (decompressed) file
    bool lenient = false; // read by the tolerant reader with its repairs: UTF-8 unchecked
    bool duplicate = false; // a key came twice; the last value counts
    bool repaired = false; // a string had to be repaired to read it

    [[nodiscard]] std::string_view field(Field f) const { return fields[static_cast<std::size_t>(f)]; }
    [[nodiscard]] std::string_view arg(Arg a) const
    {
        return (argsSeen >> static_cast<unsigned>(a)) & 1U ? args[static_cast<std::size_t>(a)] : std::string_view();
    }
    void setArg(Arg a, std::string_view token)
    {
        args[static_cast<std::size_t>(a)] = token;
        duplicate = duplicate || ((argsSeen >> static_cast<unsigned>(a)) & 1U) != 0;
        argsSeen |= std::uint64_t{1} << static_cast<unsigned>(a);
    }
    void setField(Field f, std::string_view token)
    {
        std::string_view &value = fields[static_cast<std::size_t>(f)];
        duplicate = duplicate || !value.empty();
        value = token;
    }
    // Count: the key means nothing.
    [[nodiscard]] static Field fieldOf(std::string_view key) noexcept;
    [[nodiscard]] static Arg argOf(std::string_view key) noexcept;
    void setField(std::string_view key, std::string_view token); // keys that mean nothing are passed over
    void setArg(std::string_view key, std::string_view token);
    void clear();
};

} // namespace tuneline::analysis::json
