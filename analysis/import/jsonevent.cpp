// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonevent.h"

#include <algorithm>
#include <optional>

namespace tuneline::analysis::json {
namespace {

struct ArgKey
{
    std::string_view key;
    Arg arg;
};

constexpr ArgKey kArgKeys[]{
    {"External id", Arg::ExternalId},
    {"external id", Arg::ExternalId},
    {"correlation", Arg::Correlation},
    {"device", Arg::Device},
    {"stream", Arg::Stream},
    {"bytes", Arg::Bytes},
    {"Bytes", Arg::Bytes},
    {"memory bandwidth (GB/s)", Arg::Bandwidth},
    {"grid", Arg::Grid},
    {"block", Arg::Block},
    {"registers per thread", Arg::Registers},
    {"shared memory", Arg::SharedMemory},
    {"est. achieved occupancy %", Arg::Occupancy},
    {"blocks per SM", Arg::BlocksPerSm},
    {"graph node id", Arg::GraphNode},
    {"Sequence number", Arg::Sequence},
    {"Fwd thread id", Arg::ForwardThread},
    {"Input Dims", Arg::InputDims},
    {"Input dims", Arg::InputDims},
    {"Input type", Arg::InputTypes},
    {"Concrete Inputs", Arg::ConcreteInputs},
    {"name", Arg::Name},
    {"labels", Arg::Labels},
    {"Total Reserved", Arg::TotalReserved},
    {"Total Allocated", Arg::TotalAllocated},
    {"Addr", Arg::Address},
    {"Device Id", Arg::DeviceId},
    {"Device Type", Arg::DeviceType},
    {"Collective name", Arg::CollectiveName},
    {"Process Group Name", Arg::ProcessGroup},
    {"In msg nelems", Arg::ElementsIn},
    {"Out msg nelems", Arg::ElementsOut},
    {"dtype", Arg::ElementType},
    {"Seq", Arg::CollectiveSequence},
};

// Keys by length: most lengths have one or two candidates, so a look-up is a comparison or two.
struct KeysByLength
{
    static constexpr std::size_t kMaxLength = 32, kPerLength = 8;
    std::array<std::array<ArgKey, kPerLength>, kMaxLength> keys{};
    std::array<std::uint8_t, kMaxLength> count{};
    constexpr KeysByLength()
    {
        for (const ArgKey &key : kArgKeys) {
            const std::size_t length = key.key.size();
            keys[length][count[length]++] = key;
        }
    }
};
constexpr KeysByLength kKeys;

std::optional<Arg> argFor(std::string_view key)
{
    if (key.size() >= KeysByLength::kMaxLength)
        return std::nullopt;
    const auto &candidates = kKeys.keys[key.size()];
    for (std::size_t i = 0; i < kKeys.count[key.size()]; ++i) {
        if (candidates[i].key == key)
            return candidates[i].arg;
    }
    return std::nullopt;
}

std::optional<Field> fieldFor(std::string_view key)
{
    switch (key.size()) {
    case 1:
        return key == "s" ? std::optional(Field::Scope) : std::nullopt;
    case 2:
        return key == "ph" ? std::optional(Field::Ph)
            : key == "ts"  ? std::optional(Field::Ts)
            : key == "id"  ? std::optional(Field::Id)
                           : std::nullopt;
    case 3:
        return key == "pid" ? std::optional(Field::Pid)
            : key == "tid"  ? std::optional(Field::Tid)
            : key == "dur"  ? std::optional(Field::Dur)
            : key == "cat"  ? std::optional(Field::Cat)
            : key == "id2"  ? std::optional(Field::Id2)
                            : std::nullopt;
    case 4:
        return key == "name" ? std::optional(Field::Name) : std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

void JsonEvent::setField(std::string_view key, std::string_view token)
{
    const auto field = fieldFor(key);
    if (!field)
        return;
    std::string_view &value = fields[static_cast<std::size_t>(*field)];
    duplicate = duplicate || !value.empty();
    value = token;
}

void JsonEvent::setArg(std::string_view key, std::string_view token)
{
    if (const auto arg = argFor(key))
        setArg(*arg, token);
}

bool JsonEvent::isField(std::string_view key) noexcept
{
    return fieldFor(key).has_value();
}

bool JsonEvent::isArg(std::string_view key) noexcept
{
    return argFor(key).has_value();
}

void JsonEvent::clear()
{
    fields.fill({});
    argsSeen = 0;
    argsText = {};
    lenient = duplicate = repaired = false;
}

} // namespace tuneline::analysis::json
