// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory: nearly full, growing, fragmented, spent on temporaries; recomputation without need. Mostly risks.
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"
#include "analysis/whatif/recompute.h"

#include <algorithm>
#include <cmath>

namespace tuneline::analysis {

namespace {

constexpr double kNearlyFull = 0.9, kRoomy = 0.6; // RULES.md

const MemoryCurve *deviceCurve(const RuleContext &c)
{
    for (const MemoryCurve &m : c.analysis.memory)
        if (m.device >= 0 && m.source.value == c.analysis.mainSource && !m.time.empty())
            return &m;
    return nullptr;
}

// Allocated bytes at an instant.
std::int64_t allocatedAt(const MemoryCurve &m, std::int64_t time)
{
    const auto it = std::upper_bound(m.time.begin(), m.time.end(), time);
    return it == m.time.begin() ? m.startBytes : m.allocated[static_cast<std::size_t>(it - m.time.begin()) - 1];
}

LaneId trainingLane(const RuleContext &c)
{
    return c.analysis.stepSet().trainingLane;
}

} // namespace

void checkMemoryLimit(const RuleContext &c, RuleReport &report)
{
    const MemoryCurve *m = deviceCurve(c);
    const auto memory = static_cast<double>(c.facts.rates.memoryBytes);
    if (!m || memory <= 0) {
        report.notMeasurable("memory-limit", "device memory is not recorded (profile_memory, or --detail full)");
        return;
    }
    const double peak =
        static_cast<double>(std::max(m->peakBytes, m->peakReservedBytes == kUnknown ? 0 : m->peakReservedBytes));
    if (peak < kNearlyFull * memory) {
        report.fine("memory-limit", "the peak is " + percentText(peak / memory) + " of the device's memory");
        return;
    }
    Finding f =
        makeRisk("memory-limit", peak / memory,
                 {{"peak", bytesText(peak)},
                  {"memory", bytesText(memory)},
                  {"part", percentText(peak / memory)},
                  {"holder", "it is reached " + timeText(static_cast<double>(m->peakTime)) + " into the capture"}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    f.fix.knob = "checkpointing=true";
    addEvidence(f, m->peakTime, m->peakTime, trainingLane(c), bytesText(peak) + " in use");
    report.add(c, std::move(f));
}

namespace {

struct Slope
{
    double bytesPerStep = 0;
    bool steady = false; // every step grows, by about the same
    std::vector<std::int64_t> levels;
};

// Lowest level within each step: what outlives it.
Slope slopeOf(const RuleContext &c, const MemoryCurve &m)
{
    Slope s;
    for (const Step &step : c.analysis.stepSet().list) {
        std::int64_t low = allocatedAt(m, step.hostStart);
        auto it = std::lower_bound(m.time.begin(), m.time.end(), step.hostStart);
        for (; it != m.time.end() && *it < step.hostEnd; ++it)
            low = std::min(low, m.allocated[static_cast<std::size_t>(it - m.time.begin())]);
        s.levels.push_back(low);
    }
    if (s.levels.size() < 3)
        return s;
    std::vector<double> growth;
    for (std::size_t i = 1; i < s.levels.size(); ++i)
        growth.push_back(static_cast<double>(s.levels[i] - s.levels[i - 1]));
    const auto [least, most] = std::minmax_element(growth.begin(), growth.end());
    s.bytesPerStep = static_cast<double>(s.levels.back() - s.levels.front()) / static_cast<double>(growth.size());
    s.steady = *least > 0 && *most < 3 * *least;
    return s;
}

// Without memory records: an allocator that asks the device for more in every step.
bool growsByAllocations(const RuleContext &c, RuleReport &report)
{
    std::vector<std::size_t> mallocs(c.facts.graph.stepCount(), 0), frees(mallocs);
    std::vector<EventId> evidence;
    for (const GraphNode &n : c.facts.graph.nodes) {
        if (n.kind != NodeKind::Call || n.step >= mallocs.size())
            continue;
        const std::string_view name = c.trace.name(n.event);
        if (name == "cudaMalloc" || name == "cuMemCreate") {
            ++mallocs[n.step];
            evidence.push_back(n.event);
        } else if (name == "cudaFree" || name == "cuMemRelease") {
            ++frees[n.step];
        }
    }
    const auto steps =
        static_cast<std::size_t>(std::count_if(mallocs.begin(), mallocs.end(), [](std::size_t n) { return n > 0; }));
    const bool freed = std::any_of(frees.begin(), frees.end(), [](std::size_t n) { return n > 0; });
    if (mallocs.size() < 3 || freed || 4 * steps < 3 * mallocs.size())
        return false;
    Finding f = makeRisk("memory-growth", 0,
                         {{"slope", numberText(c.perStep(static_cast<double>(evidence.size()))) + " new device blocks"},
                          {"steps", std::to_string(mallocs.size())},
                          {"from_bytes", "sizes are not recorded"},
                          {"to_bytes", "turn memory recording on for them"},
                          {"left", "an unknown number of"}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    f.confidence = Confidence::Medium;
    for (const EventId e : evidence)
        addEvidence(c, f, e, "the allocator takes more memory from the device; none was given back");
    report.add(c, std::move(f));
    return true;
}

} // namespace

void checkMemoryGrowth(const RuleContext &c, RuleReport &report)
{
    const MemoryCurve *m = deviceCurve(c);
    if (!m) {
        if (!growsByAllocations(c, report))
            report.notMeasurable("memory-growth", "memory is not recorded; no allocation calls in every step either");
        return;
    }
    const Slope s = slopeOf(c, *m);
    if (s.levels.size() < 3) {
        report.notMeasurable("memory-growth", "needs at least 3 steps");
        return;
    }
    if (!s.steady || s.bytesPerStep < 1e6) {
        report.fine("memory-growth",
                    "what outlives a step stays at " + bytesText(static_cast<double>(s.levels.back())));
        return;
    }
    const auto memory = static_cast<double>(c.facts.rates.memoryBytes);
    const double left = memory > 0 ? (memory - static_cast<double>(m->peakBytes)) / s.bytesPerStep : 0;
    Finding f = makeRisk("memory-growth", memory > 0 ? s.bytesPerStep / memory : 0,
                         {{"slope", bytesText(s.bytesPerStep)},
                          {"steps", std::to_string(s.levels.size())},
                          {"from_bytes", bytesText(static_cast<double>(s.levels.front()))},
                          {"to_bytes", bytesText(static_cast<double>(s.levels.back()))},
                          {"left", memory > 0 ? "about " + numberText(std::floor(left)) : "an unknown number of"}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    f.confidence = s.levels.size() >= 6 ? Confidence::High
        : s.levels.size() >= 4          ? Confidence::Medium
                                        : Confidence::Low;
    for (std::size_t i = 0; i < s.levels.size(); ++i)
        addEvidence(f, c.analysis.stepSet().list[i].hostStart, c.analysis.stepSet().list[i].hostEnd, trainingLane(c),
                    bytesText(static_cast<double>(s.levels[i])) + " at least throughout the step");
    report.add(c, std::move(f));
}

void checkTemporaries(const RuleContext &c, RuleReport &report)
{
    const MemoryCurve *m = deviceCurve(c);
    const MemoryTrack *track = nullptr;
    for (const MemoryTrack &t : c.trace.memory)
        if (m && t.device == m->device && t.source == m->source)
            track = &t;
    if (!track) {
        report.notMeasurable("memory-temporary", "memory is not recorded");
        return;
    }
    // The largest block that is freed within a millisecond or two of the same operator: allocated and gone.
    std::size_t best = track->time.size();
    for (std::size_t i = 0; i < track->time.size(); ++i) {
        if (track->bytes[i] < static_cast<std::int64_t>(0.15 * static_cast<double>(m->peakBytes)))
            continue;
        for (std::size_t j = i + 1; j < std::min(track->time.size(), i + 20); ++j)
            if (track->address[j] == track->address[i] && track->bytes[j] == -track->bytes[i]) {
                if (best == track->time.size() || track->bytes[i] > track->bytes[best])
                    best = i;
                break;
            }
    }
    if (best == track->time.size()) {
        report.fine("memory-temporary", "no short-lived block above 15 % of the peak");
        return;
    }
    const Lane &lane = c.trace.lanes[trainingLane(c).value];
    std::string op = "An operator";
    const auto [first, last] = c.trace.visible(lane, track->time[best], track->time[best] + 1);
    for (std::uint32_t i = first; i < last; ++i)
        if (c.trace.kind(EventId{i}) == EventKind::Op && c.trace.end(EventId{i}) > track->time[best])
            op = std::string(c.trace.name(EventId{i}));
    const double part =
        static_cast<double>(track->bytes[best]) / static_cast<double>(std::max<std::int64_t>(1, m->peakBytes));
    Finding f = makeRisk("memory-temporary", part,
                         {{"op", op},
                          {"bytes", bytesText(static_cast<double>(track->bytes[best]))},
                          {"part", percentText(part)},
                          {"peak", bytesText(static_cast<double>(m->peakBytes))}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    addEvidence(f, track->time[best], track->time[best], trainingLane(c),
                "allocates " + bytesText(static_cast<double>(track->bytes[best])));
    report.add(c, std::move(f));
}

void checkFragmentation(const RuleContext &c, RuleReport &report)
{
    const MemoryCurve *m = deviceCurve(c);
    if (!m || m->peakReservedBytes == kUnknown || m->peakBytes <= 0) {
        report.notMeasurable("memory-fragmentation", "reserved memory is not recorded");
        return;
    }
    const double ratio = static_cast<double>(m->peakReservedBytes) / static_cast<double>(m->peakBytes);
    constexpr double kWorthMentioning = 1e9;
    if (ratio < 1.5 || static_cast<double>(m->peakReservedBytes) < kWorthMentioning) {
        report.fine("memory-fragmentation", "reserved is " + numberText(ratio) + " times allocated");
        return;
    }
    Finding f = makeRisk("memory-fragmentation", 1 - 1 / ratio,
                         {{"ratio", numberText(ratio)},
                          {"reserved", bytesText(static_cast<double>(m->peakReservedBytes))},
                          {"peak", bytesText(static_cast<double>(m->peakBytes))}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    addEvidence(f, m->peakTime, m->peakTime, trainingLane(c), "peak");
    report.add(c, std::move(f));
}

void checkRecomputation(const RuleContext &c, RuleReport &report)
{
    double ns = 0;
    std::vector<EventId> evidence;
    const std::vector<bool> again = recomputed(c.facts);
    for (std::uint32_t i = 0; i < c.facts.work.size(); ++i) {
        if (c.facts.work[i].cls == WorkClass::None || !again[i])
            continue;
        ns += static_cast<double>(c.facts.graph.nodes[i].duration);
        evidence.push_back(c.facts.graph.nodes[i].event);
    }
    const double time = c.perStep(ns);
    if (evidence.empty() || c.share(time) < 0.02) {
        report.fine("checkpointing-unneeded", "no recomputation of activations");
        return;
    }
    const MemoryCurve *m = deviceCurve(c);
    const auto memory = static_cast<double>(c.facts.rates.memoryBytes);
    const bool known = m && memory > 0;
    const double part = known ? static_cast<double>(m->peakBytes) / memory : 0;
    if (part > kRoomy) {
        report.fine("checkpointing-unneeded",
                    "the peak is " + percentText(part) + " of the memory: recomputation earns its time");
        return;
    }
    Finding f = makeFinding(c, "checkpointing-unneeded", time, {change(ChangeKind::NoCheckpointing)},
                            {{"count", numberText(c.perStep(static_cast<double>(evidence.size()))) + " kernels in"},
                             {"time", timeText(time)},
                             {"memory",
                              known ? ", while the peak is only " + percentText(part) + " of the device's memory"
                                    : ". Whether memory needs that is not in this capture: it does not if the peak "
                                      "is below "
                                      + percentText(kRoomy) + " of the device's memory"}});
    if (!known) { // the time is certain, the room for it is not
        f.title = "Activations are recomputed: does memory need it?";
        f.confidence = Confidence::Low;
    }
    f.fix.knob = "checkpointing=false";
    for (const EventId e : evidence)
        addEvidence(c, f, e, "recomputed");
    report.add(c, std::move(f));
}

} // namespace tuneline::analysis
