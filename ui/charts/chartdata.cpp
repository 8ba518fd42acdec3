// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chartdata.h"

#include "analysis/analysis.h"

#include <QCoreApplication>
#include <algorithm>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Charts", text);
}

// Slots of a curve: fine enough for a wide screen at some zoom, coarse enough to mean something.
constexpr std::int64_t kSlots = 4000;
constexpr std::int64_t kMinSlotNs = 1000;

class Utilisation
{
public:
    explicit Utilisation(TimeRange bounds)
        : m_bounds(bounds)
        , m_slotNs(std::max(kMinSlotNs, bounds.length() / kSlots + 1))
        , m_busy(static_cast<std::size_t>(bounds.length() / m_slotNs + 1), 0.0)
    { }

    void add(std::int64_t begin, std::int64_t end, double weight = 1)
    {
        begin = std::max(begin, m_bounds.from);
        end = std::min(end, m_bounds.to);
        while (begin < end) {
            const std::int64_t slot = (begin - m_bounds.from) / m_slotNs;
            const std::int64_t slotEnd = std::min(end, m_bounds.from + (slot + 1) * m_slotNs);
            m_busy[static_cast<std::size_t>(slot)] += static_cast<double>(slotEnd - begin) * weight;
            begin = slotEnd;
        }
    }

    [[nodiscard]] Curve curve(QString name) const
    {
        Curve curve{std::move(name), {}, {}};
        for (std::size_t i = 0; i < m_busy.size(); ++i) {
            const std::int64_t from = m_bounds.from + static_cast<std::int64_t>(i) * m_slotNs;
            const auto length = static_cast<double>(std::min(m_slotNs, m_bounds.to - from));
            if (length <= 0)
                break;
            curve.time.push_back(from);
            curve.value.push_back(std::min(1.0, m_busy[i] / length));
        }
        curve.time.push_back(m_bounds.to);
        curve.value.push_back(curve.value.empty() ? 0 : curve.value.back());
        return curve;
    }

private:
    TimeRange m_bounds;
    std::int64_t m_slotNs;
    std::vector<double> m_busy; // ns
};

QString text(const Trace &trace, StringId id)
{
    const std::string_view view = trace.strings.view(id);
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString sourcePrefix(const Trace &trace, SourceId source)
{
    if (trace.sources.size() < 2 || source.value >= trace.sources.size())
        return {};
    const Source &s = trace.sources[source.value];
    return (s.rank ? tr("rank %1").arg(*s.rank) : QString::fromStdString(s.label)) + QStringLiteral(" · ");
}

class Builder
{
public:
    Builder(const Trace &trace, const Analysis *analysis, const Progress &progress)
        : m_trace(trace)
        , m_analysis(analysis)
        , m_progress(progress)
    {
        m_data->bounds = {trace.spanBegin, trace.spanEnd};
    }

    ChartDataPtr build()
    {
        if (m_analysis && !m_data->bounds.empty()) {
            addDevices();
            addMemory();
            addSteps();
        }
        if (!m_data->bounds.empty())
            addCpu();
        explain();
        return m_progress.cancelled() ? nullptr : ChartDataPtr(std::move(m_data));
    }

private:
    void addDevices()
    {
        for (const DeviceMetrics &device : m_analysis->devices) {
            Utilisation used(m_data->bounds);
            for (const Range &range : device.busy.ranges())
                used.add(range.begin, range.end);
            m_data->deviceUtilisation.push_back(
                used.curve(sourcePrefix(m_trace, device.source) + tr("GPU %1").arg(device.device)));
        }
    }

    void addMemory()
    {
        for (const MemoryCurve &memory : m_analysis->memory) {
            if (memory.time.empty())
                continue;
            const QString device = memory.device < 0 ? tr("CPU") : tr("GPU %1").arg(memory.device);
            Curve curve{sourcePrefix(m_trace, memory.source) + device, memory.time, {}};
            curve.value.assign(memory.allocated.begin(), memory.allocated.end());
            curve.time.push_back(std::max(m_data->bounds.to, curve.time.back()));
            curve.value.push_back(curve.value.back());
            m_data->memory.push_back(std::move(curve));
        }
    }

    void addSteps()
    {
        if (m_analysis->stepsOfSource.empty())
            return;
        const StepSet &steps = m_analysis->stepSet();
        for (const Step &step : steps.list) {
            const auto index = static_cast<std::int64_t>(m_data->steps.size());
            const bool outlier = step.has(StepFlag::kOutlier | StepFlag::kStalled);
            m_data->steps.push_back(
                {step.start, step.timeNs(), step.number >= 0 ? step.number : index, step.steady(), outlier});
        }
        m_data->medianStepNs = steps.medianNs.value_or(0);
    }

    // What the machine said about its processors beats what the recorded threads let us guess.
    void addCpu()
    {
        for (const CounterTrack &counter : m_trace.counters) {
            if (text(m_trace, counter.name) != QStringLiteral("cpu/used_share") || counter.time.empty())
                continue;
            m_data->cpuUtilisation.push_back(
                {sourcePrefix(m_trace, counter.source) + tr("all processors"), counter.time, counter.value});
            m_data->cpuIsCounter = true;
        }
        if (!m_data->cpuIsCounter)
            addThreads();
    }

    // The busiest threads, each by its outermost events.
    void addThreads()
    {
        static constexpr std::size_t kMaxThreads = 4; // more lines can't be told apart
        std::vector<const Lane *> lanes;
        for (const Lane &lane : m_trace.lanes) {
            if (lane.kind == LaneKind::Cpu && lane.count > 0)
                lanes.push_back(&lane);
        }
        std::ranges::stable_sort(lanes, std::greater(), &Lane::busyNs);
        lanes.resize(std::min(lanes.size(), kMaxThreads));
        for (const Lane *lane : lanes) {
            if (m_progress.cancelled())
                return;
            Utilisation used(m_data->bounds);
            for (std::uint32_t e = lane->first; e < lane->first + lane->count; ++e) {
                const EventId event{e};
                if (isTopmostWork(event))
                    used.add(m_trace.start(event), m_trace.end(event));
            }
            m_data->cpuUtilisation.push_back(
                used.curve(sourcePrefix(m_trace, lane->source) + text(m_trace, lane->thread)));
        }
    }

    // A range (a step, a user scope) says nothing about work; what is directly inside ranges does.
    [[nodiscard]] bool isTopmostWork(EventId event) const
    {
        if (m_trace.kind(event) == EventKind::Range)
            return false;
        for (EventId p = m_trace.events.parent[event.value]; p.valid(); p = m_trace.events.parent[p.value]) {
            if (m_trace.kind(p) != EventKind::Range)
                return false;
        }
        return true;
    }

    void explain()
    {
        if (m_data->deviceUtilisation.empty())
            m_data->whyNoDevice = tr("No device work is recorded in this trace: it shows the CPU side only.");
        if (m_data->cpuUtilisation.empty())
            m_data->whyNoCpu = tr("No CPU threads are recorded in this trace.");
        if (m_data->memory.empty())
            m_data->whyNoMemory = tr("No memory events are recorded. Capture with detail “full”, or with "
                                     "profile_memory=True in torch.profiler.");
        if (!m_data->steps.empty())
            return;
        m_data->whyNoSteps = tr("No steps were found in this trace.");
        if (m_analysis && !m_analysis->stepsOfSource.empty() && !m_analysis->stepSet().why.empty())
            m_data->whyNoSteps = QString::fromStdString(m_analysis->stepSet().why);
    }

    const Trace &m_trace;
    const Analysis *m_analysis;
    const Progress &m_progress;
    std::shared_ptr<ChartData> m_data = std::make_shared<ChartData>();
};

} // namespace

ChartDataPtr buildChartData(const Trace &trace, const Analysis *analysis, const Progress &progress)
{
    return Builder(trace, analysis, progress).build();
}

} // namespace tuneline::ui
