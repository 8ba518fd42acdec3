// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/differences.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

// Another value here is another experiment: no figure of one side says anything about the other.
constexpr std::array<std::string_view, 7> kDecisive{"model",   "device",     "gpu",     "world_size",
                                                    "dataset", "image_size", "sequence"};

// How a run was made, not what it does: shown, but no variable of the experiment.
constexpr std::array<std::string_view, 8> kIncidental{"seed", "steps",  "seconds", "hostname",
                                                      "data", "losses", "json",    "knobs"};

// Facts of the machine and the code that stand in the metadata, under these keys.
constexpr std::array<std::string_view, 7> kFacts{"torch_version", "cuda_driver_version", "cupti_version", "hostname",
                                                 "world_size",    "cpu_model",           "executable"};

template <std::size_t N> bool contains(const std::array<std::string_view, N> &list, std::string_view key)
{
    return std::find(list.begin(), list.end(), key) != list.end();
}

std::string textOf(const json &value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void addFacts(const json &metadata, BaselineRecord &record)
{
    for (const auto key : kFacts)
        if (const auto it = metadata.find(key); it != metadata.end() && !it->is_null())
            record.emplace(key, textOf(*it));
    if (const auto env = metadata.find("env"); env != metadata.end() && env->is_object())
        for (const auto &[name, value] : env->items())
            record.emplace("env." + name, textOf(value));
    if (const auto session = metadata.find("session"); session != metadata.end() && session->is_object())
        if (const auto revision = session->find("git_revision"); revision != session->end() && !revision->is_null())
            record.emplace("code_revision", textOf(*revision));
}

// Paths of the launcher's own making differ from run to run and mean nothing.
bool isOurOwn(std::string_view key)
{
    return key.find("LD_PRELOAD") != key.npos || key.find("INJECTION") != key.npos || key.find("TUNELINE") != key.npos;
}

} // namespace

BaselineRecord baselineRecord(const Trace &trace)
{
    BaselineRecord record;
    if (trace.sources.empty())
        return record;
    const Source &source = trace.sources.front();
    record.insert(source.config.begin(), source.config.end());
    if (!source.devices.empty())
        record.emplace("gpu", source.devices.front().name);
    if (source.worldSize)
        record.emplace("world_size", std::to_string(*source.worldSize));
    // Text of a file: it was checked by the reader, but a hand-edited one may be anything.
    const json metadata = json::parse(source.metadataJson, nullptr, false);
    if (metadata.is_object())
        addFacts(metadata, record);
    std::erase_if(record, [](const auto &entry) { return isOurOwn(entry.first); });
    return record;
}

bool Differences::comparable() const
{
    return std::none_of(list.begin(), list.end(), [](const Difference &d) { return d.decisive; });
}

Differences findDifferences(const BaselineRecord &before, const BaselineRecord &after)
{
    std::set<std::string> keys;
    for (const auto &[key, value] : before)
        keys.insert(key);
    for (const auto &[key, value] : after)
        keys.insert(key);

    Differences result;
    const bool knobsBefore = before.contains("batch_size") || before.contains("executable");
    const bool knobsAfter = after.contains("batch_size") || after.contains("executable");
    result.recorded = knobsBefore && knobsAfter;
    const auto value = [](const BaselineRecord &record, const char *key) {
        const auto it = record.find(key);
        return it == record.end() ? std::string() : it->second;
    };
    // tuneline-train and most loaders derive the one from the other.
    const bool prefetchFollows = value(before, "workers") != value(after, "workers");
    for (const std::string &key : keys) {
        const auto b = before.find(key), a = after.find(key);
        const std::string was = b == before.end() ? std::string() : b->second;
        const std::string is = a == after.end() ? std::string() : a->second;
        if (was == is)
            continue;
        // A fact that one side does not state can't be called different, unless both sides keep a record.
        const bool known = b != before.end() && a != after.end();
        if (!known && !result.recorded)
            continue;
        result.list.push_back({key, was, is, known && contains(kDecisive, key)});
        if (!contains(kIncidental, key) && !(key == "prefetch" && prefetchFollows))
            ++result.variables;
    }
    std::stable_sort(result.list.begin(), result.list.end(),
                     [](const Difference &x, const Difference &y) { return x.decisive > y.decisive; });
    return result;
}

} // namespace tuneline::analysis
