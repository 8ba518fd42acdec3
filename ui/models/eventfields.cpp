// SPDX-License-Identifier: GPL-3.0-or-later
// The details of one event as pairs of what and value.
#include "ui/models/eventtext.h"

#include <QCoreApplication>
#include <cmath>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("EventText", text);
}

class Fields
{
public:
    Fields(const Trace &trace, EventId event)
        : m_trace(trace)
        , m_event(event)
    { }

    std::vector<EventField> build()
    {
        addBasics();
        addLinks();
        if (const KernelDetail *kernel = m_trace.kernel(m_event))
            addKernel(*kernel);
        if (const CopyDetail *copy = m_trace.copy(m_event))
            addCopy(*copy);
        if (const OpDetail *op = m_trace.op(m_event))
            addOp(*op);
        if (const CollectiveDetail *collective = m_trace.collective(m_event))
            addCollective(*collective);
        addFlags();
        return std::move(m_fields);
    }

private:
    void add(const char *what, QString value)
    {
        if (!value.isEmpty())
            m_fields.emplace_back(tr(what), std::move(value));
    }
    void add(const char *what, StringId id) { add(what, text(id)); }
    void addNumber(const char *what, std::int64_t value)
    {
        if (value >= 0)
            add(what, countText(static_cast<std::uint64_t>(value)));
    }
    [[nodiscard]] QString text(StringId id) const
    {
        const std::string_view v = m_trace.strings.view(id);
        return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
    }
    [[nodiscard]] bool known(EventId e) const { return e.valid() && e.value < m_trace.events.size(); }

    void addBasics()
    {
        add(QT_TRANSLATE_NOOP("EventText", "Name"), fullName(m_trace.name(m_event)));
        add(QT_TRANSLATE_NOOP("EventText", "Kind"), kindText(m_trace.kind(m_event)));
        if (!m_trace.hasFlag(m_event, EventFlag::kNoTimestamp))
            add(QT_TRANSLATE_NOOP("EventText", "Start"), timeText(m_trace.start(m_event)));
        const bool unknown = m_trace.hasFlag(m_event, EventFlag::kNoDuration);
        add(QT_TRANSLATE_NOOP("EventText", "Duration"),
            unknown ? tr("not recorded") : durationText(m_trace.duration(m_event)));
        const Lane &lane = m_trace.laneOf(m_event);
        add(QT_TRANSLATE_NOOP("EventText", "Lane"), laneText(m_trace, lane));
        add(QT_TRANSLATE_NOOP("EventText", "Process"), lane.process);
    }

    void addLinks()
    {
        const EventId parent = m_trace.events.parent[m_event.value];
        if (known(parent))
            add(QT_TRANSLATE_NOOP("EventText", "Inside"), shortName(m_trace.name(parent)));
        const EventId launch = m_trace.events.launch[m_event.value];
        if (known(launch) && isDeviceWork(m_trace.kind(m_event)))
            addLaunch(launch);
        else if (isApiCall(m_trace.kind(m_event)) && m_trace.deviceRecordsOf(m_event).size() > 1)
            add(QT_TRANSLATE_NOOP("EventText", "Launched"),
                tr("%1 device records").arg(countText(m_trace.deviceRecordsOf(m_event).size())));
        else if (known(launch) && isApiCall(m_trace.kind(m_event)))
            add(QT_TRANSLATE_NOOP("EventText", "Launched"), shortName(m_trace.name(launch)));
        if (m_trace.events.correlation[m_event.value] != 0)
            add(QT_TRANSLATE_NOOP("EventText", "Correlation"),
                QString::number(m_trace.events.correlation[m_event.value]));
    }

    void addLaunch(EventId launch)
    {
        add(QT_TRANSLATE_NOOP("EventText", "Launched by"), shortName(m_trace.name(launch)));
        add(QT_TRANSLATE_NOOP("EventText", "Launch delay"),
            durationText(m_trace.start(m_event) - m_trace.start(launch)));
        const EventId op = m_trace.events.parent[launch.value];
        if (known(op))
            add(QT_TRANSLATE_NOOP("EventText", "Operator"), shortName(m_trace.name(op)));
    }

    void addKernel(const KernelDetail &kernel)
    {
        const auto size = [](const std::array<std::int32_t, 3> &v) {
            return v[0] <= 0 ? QString() : QStringLiteral("%1 × %2 × %3").arg(v[0]).arg(v[1]).arg(v[2]);
        };
        add(QT_TRANSLATE_NOOP("EventText", "Grid"), size(kernel.grid));
        add(QT_TRANSLATE_NOOP("EventText", "Block"), size(kernel.block));
        addNumber(QT_TRANSLATE_NOOP("EventText", "Registers per thread"), kernel.registersPerThread);
        if (kernel.sharedBytes >= 0)
            add(QT_TRANSLATE_NOOP("EventText", "Shared memory"), bytesText(static_cast<double>(kernel.sharedBytes)));
        if (!std::isnan(kernel.occupancy))
            add(QT_TRANSLATE_NOOP("EventText", "Estimated occupancy"),
                QStringLiteral("%1 %").arg(static_cast<double>(kernel.occupancy) * 100, 0, 'f', 0));
        if (!std::isnan(kernel.blocksPerSm))
            add(QT_TRANSLATE_NOOP("EventText", "Blocks per SM"),
                QString::number(static_cast<double>(kernel.blocksPerSm), 'g', 3));
        if (kernel.graphNode != 0)
            add(QT_TRANSLATE_NOOP("EventText", "CUDA graph node"), QString::number(kernel.graphNode));
    }

    void addCopy(const CopyDetail &copy)
    {
        static constexpr std::array kMemory{"",
                                            QT_TRANSLATE_NOOP("EventText", "pageable"),
                                            QT_TRANSLATE_NOOP("EventText", "pinned"),
                                            QT_TRANSLATE_NOOP("EventText", "device"),
                                            QT_TRANSLATE_NOOP("EventText", "array"),
                                            QT_TRANSLATE_NOOP("EventText", "managed")};
        const auto memory = [](MemoryKind kind) { return kMemory[static_cast<std::size_t>(kind)]; };
        if (copy.bytes >= 0)
            add(QT_TRANSLATE_NOOP("EventText", "Size"), bytesText(static_cast<double>(copy.bytes)));
        const double ns = static_cast<double>(m_trace.duration(m_event));
        if (copy.bytes > 0 && ns > 0)
            add(QT_TRANSLATE_NOOP("EventText", "Bandwidth"),
                QStringLiteral("%1 GB/s").arg(static_cast<double>(copy.bytes) / ns, 0, 'f', 2));
        if (copy.source != MemoryKind::Unknown && copy.destination != MemoryKind::Unknown)
            add(QT_TRANSLATE_NOOP("EventText", "Memory"),
                QStringLiteral("%1 → %2").arg(tr(memory(copy.source)), tr(memory(copy.destination))));
    }

    void addOp(const OpDetail &op)
    {
        add(QT_TRANSLATE_NOOP("EventText", "Input shapes"), op.shapes);
        add(QT_TRANSLATE_NOOP("EventText", "Input types"), op.types);
        add(QT_TRANSLATE_NOOP("EventText", "Values"), op.concrete);
        addNumber(QT_TRANSLATE_NOOP("EventText", "Sequence number"), op.sequence);
        addNumber(QT_TRANSLATE_NOOP("EventText", "Forward thread"), op.forwardThread);
    }

    void addCollective(const CollectiveDetail &collective)
    {
        add(QT_TRANSLATE_NOOP("EventText", "Collective"), collective.name);
        add(QT_TRANSLATE_NOOP("EventText", "Process group"), collective.group);
        addNumber(QT_TRANSLATE_NOOP("EventText", "Elements in"), collective.elementsIn);
        addNumber(QT_TRANSLATE_NOOP("EventText", "Elements out"), collective.elementsOut);
        add(QT_TRANSLATE_NOOP("EventText", "Element type"), collective.type);
    }

    void addFlags()
    {
        static constexpr std::array<std::pair<std::uint8_t, const char *>, 6> kNotes{{
            {EventFlag::kNoTimestamp, QT_TRANSLATE_NOOP("EventText", "Its time is not recorded.")},
            {EventFlag::kUnfinished,
             QT_TRANSLATE_NOOP("EventText", "Its end is not recorded; drawn up to the end of the trace.")},
            {EventFlag::kStray, QT_TRANSLATE_NOOP("EventText", "Far away from the rest of the trace; in no step.")},
            {EventFlag::kOrphan, QT_TRANSLATE_NOOP("EventText", "Launched before the recording began.")},
            {EventFlag::kClockSkew,
             QT_TRANSLATE_NOOP("EventText", "Starts before its own launch: the clocks disagree.")},
            {EventFlag::kGuessedLink,
             QT_TRANSLATE_NOOP("EventText", "Its launch was found by order, not by correlation.")},
        }};
        for (const auto &[flag, note] : kNotes) {
            if (m_trace.hasFlag(m_event, flag))
                add(QT_TRANSLATE_NOOP("EventText", "Note"), tr(note));
        }
    }

    const Trace &m_trace;
    EventId m_event;
    std::vector<EventField> m_fields;
};

} // namespace

std::vector<EventField> eventFields(const Trace &trace, EventId event)
{
    if (!event.valid() || event.value >= trace.events.size())
        return {};
    return Fields(trace, event).build();
}

} // namespace tuneline::ui
