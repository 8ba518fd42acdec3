// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/support/syntheticrun.h"

#include "analysis/trace/tracebuilder.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace tuneline::test {

using namespace analysis;

namespace {

constexpr int kKernels = 5; // a step

class RunBuilder
{
public:
    explicit RunBuilder(const RunShape &shape)
        : m_shape(shape)
    {
        Source source;
        source.file = "synthetic";
        source.label = "synthetic";
        m_source = m_builder.addSource(source);
        m_cpu = m_builder.lane({LaneKind::Cpu, m_source, "1", "1", {}, {}});
        m_builder.editLane(m_cpu).thread = m_builder.strings().intern("thread 1");
        if (shape.device)
            m_stream = m_builder.lane({LaneKind::Stream, m_source, "0", "7", 0, 7});
    }

    TracePtr build()
    {
        for (int i = 0; i < m_shape.steps; ++i)
            addStep(i, (m_shape.inputNs + m_shape.workNs) * i);
        Progress progress;
        return m_builder.finish(progress).value();
    }

private:
    void add(std::int64_t start, std::int64_t duration, const std::string &name, EventKind kind,
             std::uint64_t correlation = 0)
    {
        RawEvent event;
        event.start = start;
        event.duration = duration;
        event.name = m_builder.strings().intern(name);
        event.lane = isDeviceWork(kind) ? m_stream : m_cpu;
        event.kind = kind;
        event.correlation = correlation;
        m_builder.add(event);
    }

    void addStep(int index, std::int64_t at)
    {
        const std::int64_t work = at + m_shape.inputNs;
        const std::int64_t part = m_shape.workNs / kKernels;
        add(at, m_shape.inputNs + m_shape.workNs, "ProfilerStep#" + std::to_string(index), EventKind::Range);
        add(at, m_shape.inputNs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", EventKind::Range);
        for (int k = 0; k < kKernels; ++k) {
            const std::int64_t start = work + part * k;
            const auto correlation = static_cast<std::uint64_t>(index * kKernels + k + 1);
            add(start, part, k % 2 ? "aten::relu" : "aten::conv2d", EventKind::Op);
            if (!m_shape.device)
                continue;
            add(start + part / 10, part / 10, "cudaLaunchKernel", EventKind::Runtime, correlation);
            add(start + part / 4, part / 2, k % 2 ? "vectorized_elementwise_kernel" : "implicit_convolve_sgemm",
                EventKind::Kernel, correlation);
        }
    }

    RunShape m_shape;
    TraceBuilder m_builder;
    SourceId m_source;
    LaneId m_cpu, m_stream;
};

Finding makeFinding(const Trace &trace, const std::string &rule, const std::string &title, const std::string &eventName)
{
    Finding finding;
    finding.rule = rule;
    finding.title = title;
    finding.share = 0.4;
    finding.gain = {2'000'000, 3'500'000, 7'000'000};
    finding.confidence = Confidence::High;
    finding.explanation = "Each step waits for its batch before any work is issued.";
    finding.fix = {"Where the data loader is made.", "auto options = torch::data::DataLoaderOptions().workers(4);",
                   "DataLoader(dataset, num_workers=4)", "workers=4"};
    finding.verify = {"input wait", "below 5 % of the step"};
    finding.caveats = {"More workers need more memory."};
    for (std::uint32_t i = 0; i < trace.events.size() && finding.evidence.size() < 3; ++i) {
        const EventId event{i};
        if (trace.name(event).find(eventName) != std::string_view::npos)
            finding.evidence.push_back(
                {trace.start(event), trace.duration(event), trace.events.lane[i], event, "waits for the batch"});
    }
    return finding;
}

Advice makeAdvice(const Analysis &analysis)
{
    Advice advice;
    advice.capture.steadySteps = 6;
    advice.step.timeNs = 10'000'000;
    advice.step.bound = "input";
    advice.step.computeNs = 3'000'000;
    advice.step.idle.inputWaitNs = 4'000'000;
    advice.step.idle.hostOperatorsNs = 3'000'000;
    advice.findings = {makeFinding(*analysis.trace, "input-wait", "The device waits for the next batch", "DataLoader"),
                       makeFinding(*analysis.trace, "launch-bound", "The host can't launch fast enough", "aten::relu")};
    advice.plan = {{"input-wait", 7'000'000}, {"launch-bound", 6'000'000}};
    advice.checked = {{"tf32-off", CheckResult::Fine, "tensor cores are used"},
                      {"clocks", CheckResult::NotMeasurable, "not recorded"}};
    return advice;
}

ui::Document documentOf(const TracePtr &trace, bool healthy)
{
    ui::Document document;
    document.files = {"synthetic.json"};
    document.trace = trace;
    Progress progress;
    document.lod = Lod::build(*trace, progress).value();
    document.analysis = analyse(trace, {}, progress).value();
    document.charts = ui::buildChartData(*trace, document.analysis.get(), progress);
    Advice advice = makeAdvice(*document.analysis);
    if (healthy) {
        advice.findings.clear();
        advice.plan.clear();
    }
    document.advice = std::make_shared<const Advice>(std::move(advice));
    return document;
}

} // namespace

TracePtr makeTrace(const RunShape &shape)
{
    return RunBuilder(shape).build();
}

ui::Document makeDocument(const RunShape &shape)
{
    return documentOf(makeTrace(shape), false);
}

ui::Document makeHealthyDocument()
{
    return documentOf(makeTrace(), true);
}

bool writeKineto(const QString &path, const RunShape &shape, int padding)
{
    const TracePtr trace = makeTrace(shape);
    QJsonArray events;
    const auto event = [&events](const QString &category, const QString &name, std::int64_t start,
                                 std::int64_t duration, int tid, const QJsonObject &args) {
        events.append(QJsonObject{{"ph", "X"},
                                  {"cat", category},
                                  {"name", name},
                                  {"pid", tid == 7 ? 0 : 1},
                                  {"tid", tid},
                                  {"ts", static_cast<double>(start) / 1000.0},
                                  {"dur", static_cast<double>(duration) / 1000.0},
                                  {"args", args}});
    };
    for (std::uint32_t i = 0; i < trace->events.size(); ++i) {
        const EventId id{i};
        const EventKind kind = trace->kind(id);
        const QString name = QString::fromStdString(std::string(trace->name(id)));
        const QString category = kind == EventKind::Kernel ? "kernel"
            : kind == EventKind::Runtime                   ? "cuda_runtime"
            : kind == EventKind::Op                        ? "cpu_op"
                                                           : "user_annotation";
        QJsonObject args;
        if (trace->events.correlation[i] > 0)
            args["correlation"] = static_cast<qint64>(trace->events.correlation[i]);
        if (kind == EventKind::Kernel) {
            args["device"] = 0;
            args["stream"] = 7;
        }
        event(category, name, 1000 + trace->start(id), trace->duration(id), kind == EventKind::Kernel ? 7 : 1, args);
        for (int p = 0; kind == EventKind::Op && p < padding; ++p)
            event("cpu_op", "aten::view", 1000 + trace->start(id) + p, 1, 2, {});
    }
    QFile file(path);
    return file.open(QIODevice::WriteOnly)
        && file.write(
               QJsonDocument(QJsonObject{{"schemaVersion", 1}, {"traceEvents", events}}).toJson(QJsonDocument::Compact))
        > 0;
}

} // namespace tuneline::test
