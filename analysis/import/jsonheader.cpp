// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonheader.h"

#include "analysis/import/deviceproperties.h"
#include "analysis/import/jsontext.h"

#include <nlohmann/json.hpp>

namespace tuneline::analysis::json {
namespace {

using nlohmann::json;

template <typename T> T number(const json &object, const char *key, T unknown)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_number() ? member->get<T>() : unknown;
}

void readDistributed(const json &info, Source &source)
{
    if (!info.is_object())
        return;
    if (const int rank = number(info, "rank", -1); rank >= 0)
        source.rank = rank;
    if (const int size = number(info, "world_size", -1); size > 0)
        source.worldSize = size;
    if (source.rank)
        source.label = "rank " + std::to_string(*source.rank);
}

bool isVersion(const std::string &key)
{
    return key.ends_with("_version") || key == "torch" || key == "torch.version";
}

} // namespace

std::optional<std::int64_t> readHeaders(const std::vector<std::pair<std::string, std::string>> &headers, Source &source)
{
    std::optional<std::int64_t> base;
    json rest = json::object();
    for (const auto &[key, text] : headers) {
        if (key == "baseTimeNanoseconds") {
            base = toInt(text);
            source.format = SourceFormat::KinetoJson;
            continue;
        }
        json value = json::parse(text, nullptr, false);
        if (value.is_discarded())
            value = text;
        if (key == "deviceProperties")
            readDevices(value, DeviceSpelling::Kineto, source);
        else if (key == "distributedInfo")
            readDistributed(value, source);
        else if (isVersion(key))
            source.config[key] = value.is_string() ? value.get<std::string>() : value.dump();
        if (key == "schemaVersion" || key == "deviceProperties")
            source.format = SourceFormat::KinetoJson;
        rest[key] = std::move(value);
    }
    if (!rest.empty())
        source.metadataJson = rest.dump(-1, ' ', false, json::error_handler_t::replace);
    return base;
}

} // namespace tuneline::analysis::json
