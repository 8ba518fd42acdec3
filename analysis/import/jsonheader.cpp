// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonheader.h"

#include "analysis/import/deviceproperties.h"
#include "analysis/import/jsonnumber.h"
#include "analysis/import/jsonscan.h"
#include "analysis/import/jsontext.h"

#include <nlohmann/json.hpp>
#include <set>

namespace tuneline::analysis::json {
namespace {

using nlohmann::json;

void readDistributed(const json &info, Source &source)
{
    if (!info.is_object())
        return;
    if (const int rank = numberIn(info, "rank", -1); rank >= 0)
        source.rank = rank;
    if (const int size = numberIn(info, "world_size", -1); size > 0)
        source.worldSize = size;
    if (source.rank)
        source.label = "rank " + std::to_string(*source.rank);
}

std::string textIn(const json &object, const char *key)
{
    const auto member = object.find(key);
    return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

// What our own export says of a source beyond Kineto's keys.
void readFacts(const json &own, Source &source)
{
    source.host = textIn(own, "host");
    if (const auto gpus = own.find("gpus"); gpus != own.end()) {
        source.devices.clear();
        readDevices(*gpus, DeviceSpelling::Capture, source);
    }
    if (const auto metadata = own.find("metadata"); metadata != own.end() && metadata->is_object())
        source.metadataJson = metadata->dump(-1, ' ', false, json::error_handler_t::replace);
}

void readCapture(const json &own, Source &source)
{
    if (!own.is_object())
        return;
    if (const auto config = own.find("config"); config != own.end() && config->is_object()) {
        for (const auto &[key, value] : config->items())
            source.config[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    const auto found = own.find("capture");
    if (found == own.end() || !found->is_object())
        return;
    CaptureFacts &facts = source.capture;
    if (const double slowdown = numberIn(*found, "slowdown", 0.0); slowdown > 0)
        facts.slowdown = slowdown;
    facts.dropped = numberIn<std::uint64_t>(*found, "dropped", 0);
    facts.hostEventCostNs = numberIn(*found, "host_event_cost_ns", 0.0);
    if (const auto complete = found->find("complete"); complete != found->end() && complete->is_boolean())
        facts.complete = complete->get<bool>();
    facts.detail = textIn(*found, "detail");
    facts.nvml = textIn(*found, "nvml");
    const auto steps = found->find("plain_steps_ns");
    for (const json &step : steps != found->end() && steps->is_array() ? *steps : json::array()) {
        if (step.is_number_integer())
            facts.plainStepsNs.push_back(step.get<std::int64_t>());
    }
}

bool isVersion(const std::string &key)
{
    return key.ends_with("_version") || key == "torch" || key == "torch.version";
}

} // namespace

std::optional<std::int64_t> readHeaders(const std::vector<std::pair<std::string, std::string>> &headers, Source &source,
                                        ImportReport &report)
{
    std::optional<std::int64_t> base;
    json rest = json::object(), own;
    std::set<std::string_view> seen;
    for (const auto &[key, text] : headers) {
        if (!seen.insert(key).second)
            report.add("duplicate-key", Severity::Info, {-1, -1, key + " stands twice; the last value counts"});
        if (key == "baseTimeNanoseconds") {
            base = toInt(text);
            if (!base && text != "null")
                report.add("number-invalid", Severity::Warning,
                           {-1, -1, key + ": " + text.substr(0, 40) + "; the time of day is unknown"});
            source.format = SourceFormat::KinetoJson;
            continue;
        }
        json value = nestingOf(text) > kMaxNesting ? json(text) : json::parse(text, nullptr, false);
        if (value.is_discarded()) {
            value = text;
            report.add("header-repaired", Severity::Warning,
                       {-1, -1, "kept as text, as it is no valid JSON: " + key + ": " + text.substr(0, 40)});
        }
        if (key == "deviceProperties")
            readDevices(value, DeviceSpelling::Kineto, source);
        else if (key == "distributedInfo")
            readDistributed(value, source);
        else if (key == "tuneline")
            own = value;
        else if (isVersion(key))
            source.config[key] = value.is_string() ? value.get<std::string>() : value.dump();
        if (key == "schemaVersion" || key == "deviceProperties")
            source.format = SourceFormat::KinetoJson;
        rest[key] = std::move(value);
    }
    if (!rest.empty())
        source.metadataJson = rest.dump(-1, ' ', false, json::error_handler_t::replace);
    if (own.is_object()) {
        readCapture(own, source);
        readFacts(own, source);
    }
    return base;
}

std::vector<WrittenSource> readWrittenSources(std::string_view own)
{
    std::vector<WrittenSource> written;
    const json value = nestingOf(own) > kMaxNesting ? json() : json::parse(own, nullptr, false);
    const auto sources = value.is_object() ? value.find("sources") : value.end();
    if (!value.is_object() || sources == value.end() || !sources->is_array())
        return written;
    for (const json &one : *sources) {
        if (!one.is_object())
            return {};
        WrittenSource &entry = written.emplace_back();
        if (const auto info = one.find("distributedInfo"); info != one.end())
            readDistributed(*info, entry.source);
        entry.source.label = textIn(one, "label");
        readCapture(one, entry.source);
        readFacts(one, entry.source);
        const json pids = one.value("pids", json::object());
        if (!pids.is_object())
            continue;
        for (const auto &[number, pid] : pids.items()) {
            if (pid.is_string())
                entry.pids.emplace_back(number, pid.get<std::string>());
        }
    }
    return written;
}

} // namespace tuneline::analysis::json
