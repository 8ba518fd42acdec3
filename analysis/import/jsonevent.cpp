// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonevent.h"

#include <cstring>

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

template <typename T> T load(const char *at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// Of up to 32 characters, 0 excluded. A call of memcmp() takes longer than these few loads, which may overlap.
bool sameText(const char *a, const char *b, std::size_t size)
{
    const auto same = [&]<typename T>(T, std::size_t at) { return load<T>(a + at) == load<T>(b + at); };
    if (size >= 16)
        return same(std::uint64_t(), 0) && same(std::uint64_t(), size - 8) && same(std::uint64_t(), 8)
            && same(std::uint64_t(), size - 16);
    if (size >= 8)
        return same(std::uint64_t(), 0) && same(std::uint64_t(), size - 8);
    if (size >= 4)
        return same(std::uint32_t(), 0) && same(std::uint32_t(), size - 4);
    return a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1];
}

// Of a literal's length, which the caller has checked: then the compiler makes it one or two instructions.
template <std::size_t N> bool same(std::string_view key, const char (&literal)[N])
{
    return std::memcmp(key.data(), literal, N - 1) == 0;
}

} // namespace

Arg JsonEvent::argOf(std::string_view key) noexcept
{
    if (key.empty() || key.size() >= KeysByLength::kMaxLength)
        return Arg::Count;
    const auto &candidates = kKeys.keys[key.size()];
    for (std::size_t i = 0; i < kKeys.count[key.size()]; ++i) {
        if (sameText(candidates[i].key.data(), key.data(), key.size()))
            return candidates[i].arg;
    }
    return Arg::Count;
}

Field JsonEvent::fieldOf(std::string_view key) noexcept
{
    switch (key.size()) {
    case 1:
        return same(key, "s") ? Field::Scope : Field::Count;
    case 2:
        return same(key, "ph") ? Field::Ph : same(key, "ts") ? Field::Ts : same(key, "id") ? Field::Id : Field::Count;
    case 3:
        return same(key, "pid") ? Field::Pid
            : same(key, "tid")  ? Field::Tid
            : same(key, "dur")  ? Field::Dur
            : same(key, "cat")  ? Field::Cat
            : same(key, "id2")  ? Field::Id2
                                : Field::Count;
    case 4:
        return same(key, "name") ? Field::Name : Field::Count;
    default:
        return Field::Count;
    }
}

void JsonEvent::setField(std::string_view key, std::string_view token)
{
    if (const Field field = fieldOf(key); field != Field::Count)
        setField(field, token);
}

void JsonEvent::setArg(std::string_view key, std::string_view token)
{
    if (const Arg arg = argOf(key); arg != Arg::Count)
        setArg(arg, token);
}

void JsonEvent::clear()
{
    fields.fill({});
    argsSeen = 0;
    argsText = {};
    lenient = duplicate = repaired = false;
}

} // namespace tuneline::analysis::json
