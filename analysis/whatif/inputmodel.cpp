// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/inputmodel.h"

#include "analysis/whatif/loaderthreads.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tuneline::analysis {

namespace {

std::optional<int> configNumber(const Source &source, const char *key)
{
    const auto it = source.config.find(key);
    int value = 0;
    if (it == source.config.end()
        || std::from_chars(it->second.data(), it->second.data() + it->second.size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

// What the capture says about the machine.
std::optional<int> coresOf(const Source &source)
{
    const auto json = nlohmann::json::parse(source.metadataJson, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    for (const char *key : {"cpu_usable", "cpu_count"})
        if (const auto it = json.find(key); it != json.end() && it->is_number_integer() && it->get<int>() > 0)
            return it->get<int>();
    return std::nullopt;
}

std::optional<double> usedShare(const Trace &trace)
{
    for (const CounterTrack &t : trace.counters) {
        if (trace.strings.view(t.name) != "cpu/used_share" || t.value.empty())
            continue;
        return std::accumulate(t.value.begin(), t.value.end(), 0.0) / static_cast<double>(t.value.size());
    }
    return std::nullopt;
}

std::vector<double> waitsPerStep(const RunFacts &facts)
{
    std::vector<double> waits(facts.graph.stepCount(), 0);
    for (const GraphNode &n : facts.graph.nodes)
        if (isInputNode(n) && n.step < waits.size())
            waits[n.step] += static_cast<double>(n.duration);
    return waits;
}

double median(std::vector<double> v)
{
    if (v.empty())
        return 0;
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// Of all time of the steps: where they differ much, the mean wait may be longer than the median step, and only the
// share means anything.
double waitShare(const RunFacts &facts, const std::vector<double> &waits)
{
    const auto &steps = facts.analysis.stepSet().list;
    double time = 0, wait = 0;
    for (std::size_t s = 0; s < waits.size(); ++s) {
        const Step &step = steps[facts.graph.firstStep + s];
        time += static_cast<double>(step.hostEnd - step.hostStart);
        wait += waits[s];
    }
    return time > 0 ? std::min(1.0, wait / time) : 0;
}

constexpr double kNoticed = 0.02; // of the step, for a wait
constexpr double kSlower = 1.05; // than the steps, for a pace that is not theirs

// What the loader threads themselves show.
void lookAtThreads(const RunFacts &facts, double step, InputModel &m)
{
    const LoaderThreads threads = loaderThreads(facts);
    if (threads.loadNs <= 0)
        return;
    const int count = std::max(threads.count, m.workers.value_or(0));
    const double pace = threads.batchesPerStep * threads.loadNs / count;
    if (pace <= kSlower * step)
        return;
    m.workers = count;
    m.loadNs = threads.batchesPerStep * threads.loadNs;
    m.paceNs = pace;
    m.paceLowNs = threads.batchesPerStep * threads.lowNs / count;
    m.paceHighNs = threads.batchesPerStep * threads.highNs / count;
    m.waitNs = std::max(m.waitNs, pace - step + m.handOverNs);
}

} // namespace

InputModel inputModel(const RunFacts &facts)
{
    InputModel m;
    const Analysis &a = facts.analysis;
    m.workers = a.input.workers;
    if (!facts.trace.sources.empty()) {
        const Source &source = facts.trace.sources[a.mainSource];
        m.cores = configNumber(source, "cpu_count");
        if (!m.cores)
            m.cores = coresOf(source);
    }
    m.usedCores = usedShare(facts.trace);
    const std::vector<double> waits = waitsPerStep(facts);
    double sum = 0;
    for (const double w : waits)
        sum += w;
    m.waitNs = waits.empty() ? 0 : sum / static_cast<double>(waits.size());
    m.handOverNs =
        waits.empty() ? 0 : std::min(static_cast<double>(kHandOverNs), *std::min_element(waits.begin(), waits.end()));
    const double step = a.stepSet().medianNs ? static_cast<double>(*a.stepSet().medianNs) : 0;
    const auto waited =
        std::count_if(waits.begin(), waits.end(), [&](double w) { return w - m.handOverNs >= kNoticed * step; });
    m.inMostSteps = 2 * static_cast<std::size_t>(waited) > waits.size();
    m.waitNs = std::min(m.waitNs, step * waitShare(facts, waits));
    lookAtThreads(facts, step, m);
    if (m.paceNs > 0)
        return m;
    if (m.waitNs < kNoticed * step)
        return m;
    if (m.workers && *m.workers == 0) {
        m.loadNs = median(waits);
        return m;
    }
    // The loaders limit the step: in the time of one step each worker makes 1 / workers of a batch.
    if (!m.workers)
        m.workersGuessed = true;
    m.loadNs = step * std::max(1, m.workers.value_or(2));
    return m;
}

} // namespace tuneline::analysis
