// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/inputwait.h"

#include "analysis/steps/hostscopes.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr double kDecodeOps =
    0.1; // a loader in the thread itself stacks tensors between decoding: share of operators in it

bool looksLikePython(const Trace &trace, SourceId source)
{
    for (const Lane &lane : trace.lanes) {
        if (lane.source != source || lane.kind != LaneKind::Cpu)
            continue;
        if (trace.strings.view(lane.process).find("python") != std::string_view::npos)
            return true;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId e{i};
            if (trace.kind(e) == EventKind::Python || trace.name(e).starts_with("ProfilerStep#"))
                return true;
        }
    }
    return false;
}

bool copiesInput(const Trace &trace, EventId call)
{
    for (const EventId record : trace.deviceRecordsOf(call)) {
        const CopyDetail *copy = trace.copy(record);
        if (copy && trace.kind(record) == EventKind::Copy && copy->kind == CopyKind::HostToDevice)
            return true;
    }
    return false;
}

class Finder
{
public:
    Finder(const Trace &trace, const NameTable &names, const StepSet &steps)
        : m_trace(trace)
        , m_steps(steps)
        , m_work(outermostWork(trace, names, steps.trainingLane))
        , m_names(names)
    {
        const Lane &lane = trace.lanes[steps.trainingLane.value];
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            if (isApiCall(trace.events.kind[i]) && trace.events.launch[i].valid() && copiesInput(trace, EventId{i}))
                m_inputCopies.push_back(EventId{i});
        }
    }

    IntervalSet find() const
    {
        std::vector<Range> waits;
        for (const Step &step : m_steps.list)
            addWaits(firstUse(step), step.hostStart, waits);
        return IntervalSet(std::move(waits));
    }

private:
    // Index into m_work; m_work.size() = none.
    std::size_t firstUse(const Step &step) const
    {
        std::int64_t from = step.hostStart;
        const auto copy = std::partition_point(m_inputCopies.begin(), m_inputCopies.end(),
                                               [&](EventId e) { return m_trace.start(e) < step.hostStart; });
        if (copy != m_inputCopies.end() && m_trace.start(*copy) < step.hostEnd)
            from = m_trace.start(*copy);
        const auto it =
            std::partition_point(m_work.begin(), m_work.end(), [&](EventId e) { return m_trace.end(e) <= from; });
        if (it == m_work.end() || m_trace.start(*it) >= step.hostEnd)
            return m_work.size();
        return static_cast<std::size_t>(it - m_work.begin());
    }

    bool isDecoding(EventId e) const
    {
        return m_trace.kind(e) == EventKind::Op
            && !m_names.is(m_trace, e, NameTrait::kBackward | NameTrait::kOptimizerOp);
    }

    // Backwards over host code and the few operators of decoding.
    void addWaits(std::size_t use, std::int64_t stepStart, std::vector<Range> &waits) const
    {
        if (use >= m_work.size())
            return;
        if (use == 0)
            waits.push_back({stepStart, m_trace.start(m_work.front())}); // nothing is recorded before it
        std::vector<Range> found;
        const std::int64_t end = m_trace.start(m_work[use]);
        std::int64_t operators = 0;
        for (std::size_t i = use; i > 0; --i) {
            const EventId before = m_work[i - 1];
            found.push_back({m_trace.end(before), m_trace.start(m_work[i])});
            operators += m_trace.duration(before);
            const std::int64_t beyond = i > 1 ? m_trace.end(m_work[i - 2]) : m_trace.start(before);
            if (!isDecoding(before) || static_cast<double>(operators) > kDecodeOps * static_cast<double>(end - beyond))
                break;
        }
        waits.insert(waits.end(), found.begin(), found.end());
    }

    const Trace &m_trace;
    const StepSet &m_steps;
    std::vector<EventId> m_work, m_inputCopies;
    const NameTable &m_names;
};

} // namespace

IntervalSet unmarkedInputWait(const Trace &trace, const NameTable &names, const StepSet &steps)
{
    if (steps.empty() || !steps.trainingLane.valid() || looksLikePython(trace, steps.source))
        return {};
    return Finder(trace, names, steps).find();
}

} // namespace tuneline::analysis
