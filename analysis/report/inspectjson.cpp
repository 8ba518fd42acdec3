// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/inspect.h"
#include "analysis/report/machine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

template <typename T> json orNull(const std::optional<T> &value)
{
    return value ? json(*value) : json(nullptr);
}

json textOrNull(std::string_view text)
{
    return text.empty() ? json(nullptr) : json(text);
}

const char *formatName(SourceFormat format)
{
    switch (format) {
    case SourceFormat::Tuneline:
        return "tuneline";
    case SourceFormat::KinetoJson:
        return "kineto-json";
    case SourceFormat::NsysSqlite:
        return "nsys-sqlite";
    case SourceFormat::ChromeJson:
        break;
    }
    return "chrome-json";
}

json countsJson(const Trace &trace)
{
    std::array<std::uint64_t, 32> kinds{};
    std::uint64_t slices = 0, points = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const EventKind kind = trace.events.kind[i];
        ++kinds[static_cast<std::size_t>(kind)];
        slices += kind != EventKind::Instant ? 1 : 0;
    }
    for (const CounterTrack &c : trace.counters)
        points += c.time.size();
    const auto of = [&](EventKind k) { return kinds[static_cast<std::size_t>(k)]; };
    return {{"slices", slices},
            {"ops", of(EventKind::Op)},
            {"api_calls", of(EventKind::Runtime) + of(EventKind::Driver)},
            {"kernels", of(EventKind::Kernel)},
            {"copies", of(EventKind::Copy)},
            {"memsets", of(EventKind::Memset)},
            {"annotations", of(EventKind::Range) + of(EventKind::DeviceRange)},
            {"python", of(EventKind::Python)},
            {"async_slices", of(EventKind::Async)},
            {"counter_points", points},
            {"instants", of(EventKind::Instant)}};
}

json problemsJson(const ImportReport &report)
{
    static constexpr std::array kSeverity{"info", "warning", "data-loss"};
    json list = json::array();
    for (const Problem &p : report.problems()) {
        json examples = json::array();
        for (const ProblemExample &e : p.examples)
            examples.push_back({{"offset", e.offset < 0 ? json(nullptr) : json(e.offset)},
                                {"line", e.line < 0 ? json(nullptr) : json(e.line)},
                                {"text", e.text}});
        list.push_back({{"name", p.name},
                        {"severity", kSeverity[static_cast<std::size_t>(p.severity)]},
                        {"count", p.count},
                        {"examples", std::move(examples)}});
    }
    return list;
}

json lanesJson(const Trace &trace)
{
    json list = json::array();
    for (std::size_t i = 0; i < trace.lanes.size(); ++i) {
        const Lane &lane = trace.lanes[i];
        if (lane.kind == LaneKind::Window)
            continue;
        list.push_back({{"id", i}, // what evidence names as its lane
                        {"kind",
                         lane.kind == LaneKind::Cpu          ? "cpu"
                             : lane.kind == LaneKind::Stream ? "stream"
                                                             : "async"},
                        {"process", trace.strings.view(lane.process)},
                        {"thread", trace.strings.view(lane.thread)},
                        {"device", orNull(lane.device)},
                        {"stream", orNull(lane.stream)},
                        {"rank", orNull(lane.rank)},
                        {"slices", lane.count},
                        {"overlaps", lane.overlaps},
                        {"depth", lane.depth},
                        {"busy_ns", lane.busyNs}});
    }
    for (const CounterTrack &c : trace.counters) {
        list.push_back({{"kind", "counter"},
                        {"process", ""},
                        {"thread", trace.strings.view(c.name)},
                        {"device", nullptr},
                        {"stream", nullptr},
                        {"rank", orNull(trace.sources[c.source.value].rank)},
                        {"slices", 0},
                        {"overlaps", 0},
                        {"depth", 1},
                        {"busy_ns", 0}});
    }
    return list;
}

json causesJson(const IdleBreakdown &idle)
{
    json out = json::object();
    for (std::size_t c = 0; c < kIdleCauses; ++c)
        out[std::string(toString(static_cast<IdleCause>(c))) + "_ns"] = idle.ns[c];
    return out;
}

json deviceJson(const DeviceMetrics &d)
{
    return {{"id", d.device},
            {"rank", orNull(d.rank)},
            {"name", textOrNull(d.name)},
            {"util", orNull(d.util)},
            {"window_ns", {d.window.begin, d.window.end}},
            {"busy_ns", d.busyNs},
            {"idle_ns", d.idleNs},
            {"compute_ns", d.computeNs},
            {"copy_ns", d.copyNs},
            {"exposed_copy_ns", d.exposedCopyNs},
            {"comm_ns", d.commNs},
            {"exposed_comm_ns", d.exposedCommNs},
            {"kernel_sum_ns", d.kernelSumNs},
            {"tensor_core_share", orNull(d.tensorCoreShare)},
            {"occupancy", orNull(d.occupancy)},
            {"saturation", orNull(d.saturation)},
            {"mean_queue", d.meanQueue},
            {"max_queue", d.maxQueue},
            {"idle", causesJson(d.idle)},
            {"reliable", d.reliable}};
}

json linksJson(const Analysis &a)
{
    const LinkCounts &c = a.links.counts;
    std::uint32_t maxQueue = 0;
    for (const DeviceMetrics &d : a.devices)
        maxQueue = std::max(maxQueue, d.maxQueue);
    return {{"linked", c.linked},        {"unlinked", c.unlinked},
            {"orphans", c.orphans},      {"launches_without_work", c.launchesWithoutWork},
            {"clock_skew", c.clockSkew}, {"mean_launch_delay_ns", orNull(a.links.meanLaunchDelayNs)},
            {"max_queue", maxQueue},     {"cross_rank", a.ranks.collectives.size()}};
}

json flagsJson(const Step &s)
{
    json flags = json::array();
    const std::pair<std::uint8_t, const char *> names[]{{StepFlag::kWarmUp, "warm-up"},
                                                        {StepFlag::kPartial, "partial"},
                                                        {StepFlag::kOutlier, "outlier"},
                                                        {StepFlag::kStalled, "stalled"}};
    for (const auto &[flag, name] : names) {
        if (s.has(flag))
            flags.push_back(name);
    }
    return flags;
}

json stepsJson(const Analysis &a)
{
    const StepSet &set = a.stepSet();
    json list = json::array(), outliers = json::array(), recurring = json::array();
    for (std::size_t i = 0; i < set.list.size(); ++i) {
        const Step &s = set.list[i];
        const StepMetrics &m = a.steps[i];
        if (s.has(StepFlag::kWarmUp | StepFlag::kOutlier))
            outliers.push_back(i);
        list.push_back({{"start_ns", s.start},
                        {"dur_ns", s.timeNs()},
                        {"host_start_ns", s.hostStart},
                        {"host_dur_ns", s.hostEnd - s.hostStart},
                        {"number", s.number < 0 ? json(nullptr) : json(s.number)},
                        {"flags", flagsJson(s)},
                        {"busy_ns", m.busyNs},
                        {"kernel_ns", m.kernelNs},
                        {"util", orNull(m.util)},
                        {"kernel_starts", m.kernels},
                        {"launches", m.launches},
                        {"reliable", m.reliable}});
    }
    for (const RecurringStall &r : set.recurring)
        recurring.push_back({{"what", r.what}, {"ns_per_step", r.nsPerStep}});
    return {{"count", set.list.size()},
            {"source", toString(set.from)},
            {"micro_per_step", set.microPerStep},
            {"median_ns", orNull(set.medianNs)},
            {"bound", toString(set.bound)},
            {"host_runs_ahead", set.hostRunsAhead},
            {"steady", set.steadyCount()},
            {"confidence", set.confidence},
            {"why", set.why},
            {"outliers", std::move(outliers)},
            {"recurring", std::move(recurring)},
            {"list", std::move(list)}};
}

json tableJson(const Trace &trace, const std::vector<NameRow> &rows, json (*extra)(const NameRow &))
{
    json list = json::array();
    for (const NameRow &r : rows) {
        json row = extra(r);
        row["name"] = trace.strings.view(r.name);
        row["calls"] = r.calls;
        list.push_back(std::move(row));
    }
    return list;
}

void addTables(const Analysis &a, json &out)
{
    const Trace &t = *a.trace;
    out["ops"] = tableJson(t, a.tables.ops, [](const NameRow &r) -> json {
        return {{"total_ns", r.totalNs},
                {"self_ns", r.selfNs},
                {"device_total_ns", r.deviceTotalNs},
                {"device_self_ns", r.deviceSelfNs}};
    });
    out["python"] = tableJson(t, a.tables.python, [](const NameRow &r) -> json {
        return {{"total_ns", r.totalNs}, {"self_ns", r.selfNs}};
    });
    out["kernels"] = tableJson(t, a.tables.kernels, [](const NameRow &r) -> json {
        return {{"total_ns", r.totalNs}, {"mean_ns", orNull(r.meanNs())}};
    });
    out["api"] = tableJson(t, a.tables.api, [](const NameRow &r) -> json { return {{"total_ns", r.totalNs}}; });
    out["ranges"] = tableJson(t, a.tables.ranges, [](const NameRow &r) -> json {
        return {{"total_ns", r.totalNs}, {"device_ns", r.deviceTotalNs}};
    });
}

json memoryJson(const Analysis &a)
{
    json list = json::array();
    for (const MemoryCurve &m : a.memory)
        list.push_back({{"device", m.device < 0 ? "cpu" : std::to_string(m.device)},
                        {"rank", orNull(a.trace->sources[m.source.value].rank)},
                        {"start_bytes", m.startBytes},
                        {"peak_bytes", m.peakBytes},
                        {"peak_at_ns", m.peakTime},
                        {"peak_reserved_bytes", m.peakReservedBytes < 0 ? json(nullptr) : json(m.peakReservedBytes)},
                        {"unmatched_frees", m.unmatchedFrees}});
    return list;
}

json alignmentJson(const RankAlignment &alignment)
{
    return {{"method", alignment.byCollectives ? "collectives" : "base-time"},
            {"offset_ns", alignment.offsetNs},
            {"residual_ns", orNull(alignment.residualNs)},
            {"collectives", alignment.collectives}};
}

json ranksJson(const Analysis &a)
{
    json list = json::array();
    for (const RankFigures &r : a.ranks.ranks) {
        const Source &source = a.trace->sources[r.source.value];
        list.push_back({{"rank", orNull(r.rank)},
                        {"file", source.file},
                        {"label", source.label},
                        {"comm_wait_ns", r.commWaitNs},
                        {"comm_transfer_ns", r.commTransferNs},
                        {"late_ns", r.lateNs},
                        {"alignment", alignmentJson(source.alignment)}});
    }
    return list;
}

void addSource(const Trace &trace, json &out)
{
    std::map<std::string, std::uint32_t> sourcesOfFile; // each document of a file is a source of its own
    std::uint32_t documents = 0;
    bool truncated = false;
    for (const Source &s : trace.sources) {
        ++sourcesOfFile[s.file];
        truncated |= s.truncated;
    }
    for (const auto &[file, count] : sourcesOfFile)
        documents += count;
    if (trace.sources.size() == 1)
        documents = trace.sources.front().documents;
    const bool any = !trace.sources.empty();
    out["file"] = any ? json(trace.sources.front().file) : json(nullptr);
    out["format"] = any ? json(formatName(trace.sources.front().format)) : json(nullptr);
    out["documents"] = documents;
    out["truncated"] = truncated;
    out["base_unix_ns"] = orNull(trace.baseUnixNs);
    out["span_ns"] = {trace.spanBegin, trace.spanEnd};
}

} // namespace

json inspectJson(const Analysis &a)
{
    json out;
    addSource(*a.trace, out);
    out["counts"] = countsJson(*a.trace);
    out["problems"] = problemsJson(a.trace->report);
    out["lanes"] = lanesJson(*a.trace);
    out["devices"] = json::array();
    for (const DeviceMetrics &d : a.devices)
        out["devices"].push_back(deviceJson(d));
    out["gpus"] = gpusJson(*a.trace);
    out["machines"] = machinesJson(*a.trace);
    out["links"] = linksJson(a);
    out["steps"] = stepsJson(a);
    addTables(a, out);
    out["copies"] = {{"bytes", a.copies.bytes}, {"mean_bandwidth_gbs", orNull(a.copies.meanBandwidthGbs)}};
    out["syncs"] = {{"calls_per_step", a.syncs.callsPerStep},
                    {"ns_per_step", a.syncs.nsPerStep},
                    {"true_cost_ns_per_step", orNull(a.syncs.trueCostNsPerStep)}};
    out["input"] = {{"wait_share", orNull(a.input.waitShare)}, {"workers", orNull(a.input.workers)}};
    out["memory"] = memoryJson(a);
    out["ranks"] = ranksJson(a);
    out["straggler"] = orNull(a.ranks.straggler);
    out["straggler_cause"] =
        a.lateCause ? json{{"what", a.lateCause->what}, {"ns_per_step", a.lateCause->excessNs}} : json(nullptr);
    return out;
}

} // namespace tuneline::analysis
