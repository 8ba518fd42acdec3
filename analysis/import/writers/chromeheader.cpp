// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/chromeheader.h"

#include "analysis/import/deviceproperties.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

// A number stays a number.
std::string rowId(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && std::to_string(number) == text)
        return std::string(text);
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

json captureFacts(const CaptureFacts &facts)
{
    return {{"slowdown", facts.slowdown ? json(*facts.slowdown) : json(nullptr)},
            {"dropped", facts.dropped},
            {"complete", facts.complete},
            {"plain_steps_ns", facts.plainStepsNs},
            {"detail", facts.detail},
            {"host_event_cost_ns", facts.hostEventCostNs},
            {"nvml", facts.nvml}};
}

json distributed(const Source &source)
{
    return {{"rank", *source.rank}, {"world_size", source.worldSize.value_or(-1)}};
}

// What the reader needs for the same figures (jsonheader.cpp).
json sourceFacts(const Source &source)
{
    json facts{{"config", source.config}, {"capture", captureFacts(source.capture)}};
    if (!source.devices.empty())
        facts["gpus"] = writeDevices(source, DeviceSpelling::Capture);
    if (!source.host.empty())
        facts["host"] = source.host;
    if (json metadata = json::parse(source.metadataJson, nullptr, false); metadata.is_object())
        facts["metadata"] = std::move(metadata);
    return facts;
}

json severalSources(const Trace &trace, const ChromeRows &rows)
{
    json list = json::array();
    for (std::size_t i = 0; i < trace.sources.size(); ++i) {
        const Source &source = trace.sources[i];
        json facts = sourceFacts(source);
        facts["label"] = source.label;
        if (source.rank)
            facts["distributedInfo"] = distributed(source);
        facts["pids"] = rows.numbered()[i];
        list.push_back(std::move(facts));
    }
    return list;
}

} // namespace

ChromeRows::ChromeRows(const Trace &trace)
{
    const bool several = trace.sources.size() > 1;
    if (several)
        m_numbered.resize(trace.sources.size());
    for (const Lane &lane : trace.lanes) {
        m_pids.push_back(several ? number(lane.source, lane.pid, trace) : rowId(trace.strings.view(lane.pid)));
        m_tids.push_back(rowId(trace.strings.view(lane.tid)));
        if (lane.kind != LaneKind::Stream)
            m_withThreads.insert(m_pids.back());
    }
    for (std::size_t i = 0; i < trace.sources.size(); ++i)
        m_sourcePids.push_back(several
                                   ? number(SourceId{i}, StringId{}, trace)
                                   : json(trace.sources[i].label).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string ChromeRows::number(SourceId source, StringId pid, const Trace &trace)
{
    const auto [entry, fresh] = m_numbers.try_emplace({source, pid}, std::to_string(m_numbers.size() + 1));
    if (fresh)
        m_numbered[source.value][entry->second] = pid.valid() ? trace.strings.view(pid) : std::string_view();
    return entry->second;
}

std::string ChromeRows::process(const Trace &trace, const Lane &lane) const
{
    const std::string name{trace.strings.view(lane.process)};
    return m_numbered.empty() ? name : trace.sources[lane.source.value].label + ": " + name;
}

json chromeHeader(const Trace &trace, const ChromeRows &rows)
{
    json head = json::object();
    head["schemaVersion"] = 1;
    head["displayTimeUnit"] = "ms";
    if (trace.baseUnixNs)
        head["baseTimeNanoseconds"] = *trace.baseUnixNs;
    const Source &first = trace.sources.front();
    if (!first.devices.empty())
        head["deviceProperties"] = writeDevices(first, DeviceSpelling::Kineto);
    json own = json::object();
    if (trace.sources.size() == 1) {
        own = sourceFacts(first);
        if (first.rank)
            head["distributedInfo"] = distributed(first);
    } else {
        own["sources"] = severalSources(trace, rows);
    }
    own["report"] = json::object();
    for (const Problem &p : trace.report.problems())
        own["report"][p.name] = p.count;
    head["tuneline"] = std::move(own);
    return head;
}

} // namespace tuneline::analysis
