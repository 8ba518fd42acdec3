// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/loaderthreads.h"

#include "analysis/metrics/names.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr std::int64_t kWakeNs = 2'000'000; // a loader that waited for room starts within this after a batch was taken
constexpr double kOneBatch = 0.02; // of a step: operators closer than this begin the same batch

class Loaders
{
public:
    explicit Loaders(const RunFacts &facts)
        : m_facts(facts)
        , m_trace(facts.trace)
        , m_steps(facts.analysis.stepSet())
    { }

    LoaderThreads run()
    {
        LoaderThreads result;
        findTakes();
        if (m_takes.empty())
            return result;
        for (std::size_t l = 0; l < m_trace.lanes.size(); ++l)
            if (isCandidate(LaneId{l}))
                visit(m_trace.lanes[l], result);
        // More batches than the training thread takes: that thread does something else, or begins a batch several
        // times.
        if (result.count == 0 || m_begun > 2 * m_takes.size() + 2 * static_cast<std::size_t>(result.count))
            return {};
        const auto steps = static_cast<double>(std::max<std::size_t>(1, m_steps.list.size()));
        result.batchesPerStep = std::max(1.0, std::round(static_cast<double>(m_takes.size()) / steps));
        if (m_loads.empty())
            return result;
        std::sort(m_loads.begin(), m_loads.end());
        // Whatever disturbs a loader makes it slower: below the middle.
        result.loadNs = static_cast<double>(m_loads[m_loads.size() / 4]);
        result.lowNs = static_cast<double>(m_loads.front());
        result.highNs = static_cast<double>(m_loads[m_loads.size() / 2]);
        return result;
    }

private:
    // Scopes in which the training thread gets its batches.
    void findTakes()
    {
        const Lane &lane = m_trace.lanes[m_steps.trainingLane.value];
        std::int64_t until = 0;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (isApiCall(m_trace.kind(e)) || !m_facts.analysis.names.is(m_trace, e, NameTrait::kDataScope)
                || (!m_takes.empty() && m_trace.start(e) < until))
                continue;
            until = m_trace.end(e);
            m_takes.push_back({m_trace.start(e), until});
        }
    }

    // Threads beside the training that run operators without a device or a backward pass.
    bool isCandidate(LaneId id) const
    {
        const Lane &lane = m_trace.lanes[id.value];
        if (lane.kind != LaneKind::Cpu || lane.source != m_steps.source || id == m_steps.trainingLane)
            return false;
        return std::none_of(m_facts.graph.rows.begin(), m_facts.graph.rows.end(),
                            [id](const GraphRow &row) { return !row.device && row.lane == id; });
    }

    bool isOutermostOperator(std::uint32_t event) const
    {
        return m_trace.kind(EventId{event}) == EventKind::Op && !m_trace.events.parent[event].valid();
    }

    // Begins of batches: of the operators that the thread runs, the rarest comes at most once in each.
    std::vector<std::int64_t> beginsOf(const Lane &lane) const
    {
        std::map<std::uint32_t, std::size_t> calls; // by name
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i)
            if (isOutermostOperator(i))
                ++calls[m_trace.events.name[i].value];
        if (calls.empty())
            return {};
        const auto rarest = std::min_element(calls.begin(), calls.end(),
                                             [](const auto &a, const auto &b) { return a.second < b.second; });
        const auto same = static_cast<std::int64_t>(kOneBatch * static_cast<double>(m_steps.medianNs.value_or(0)));
        std::vector<std::int64_t> begins;
        std::int64_t last = 0;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (!isOutermostOperator(i) || m_trace.events.name[i].value != rarest->first)
                continue;
            if (begins.empty() || m_trace.start(e) - last > same)
                begins.push_back(m_trace.start(e));
            last = m_trace.end(e);
        }
        return begins;
    }

    // Just after the training thread took a batch that was ready: the loader had waited until there was room.
    bool waitedForRoom(std::int64_t begin) const
    {
        const auto next = std::upper_bound(m_takes.begin(), m_takes.end(), begin,
                                           [](std::int64_t t, const Range &r) { return t < r.begin; });
        if (next == m_takes.begin())
            return true; // before the first step: nothing is known
        const Range &take = *std::prev(next);
        return take.end - take.begin < kHandOverNs && begin - take.begin < kWakeNs;
    }

    void visit(const Lane &lane, LoaderThreads &result)
    {
        const std::vector<std::int64_t> begins = beginsOf(lane);
        if (begins.empty())
            return;
        ++result.count;
        m_begun += begins.size();
        for (std::size_t i = 1; i < begins.size(); ++i)
            if (!waitedForRoom(begins[i]))
                m_loads.push_back(begins[i] - begins[i - 1]);
    }

    const RunFacts &m_facts;
    const Trace &m_trace;
    const StepSet &m_steps;
    std::vector<Range> m_takes;
    std::vector<std::int64_t> m_loads; // ns
    std::size_t m_begun = 0; // batches
};

} // namespace

LoaderThreads loaderThreads(const RunFacts &facts)
{
    return facts.analysis.stepSet().trainingLane.valid() ? Loaders(facts).run() : LoaderThreads{};
}

} // namespace tuneline::analysis
