// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsondecoder.h"

#include "analysis/import/jsonscan.h"
#include "analysis/import/jsontext.h"
#include "analysis/import/writers/eventtext.h"

#include <algorithm>
#include <limits>

namespace tuneline::analysis::json {
namespace {

// Rows that PyTorch's profiler makes for itself.
bool isBookkeepingPid(std::string_view pid)
{
    return pid == "Spans" || pid == "Traces" || pid.empty();
}

constexpr std::string_view kControlKept = "raw control bytes in a text, which JSON forbids; kept";

// White space between tokens is none.
bool hasControl(std::string_view text)
{
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    });
}

RawEvent rawEvent(const JsonEvent &event)
{
    RawEvent raw;
    raw.argsOffset = event.offset;
    raw.correlation = toId(event.arg(Arg::Correlation));
    raw.externalId = toId(event.arg(Arg::ExternalId));
    return raw;
}

} // namespace

void Decoder::decode(const JsonEvent &event, Batch &batch)
{
    const std::string_view phase = unquoted(event.field(Field::Ph));
    if (!event.lenient)
        return decodePhase(event, phase, batch);
    const std::uint64_t repaired = batch.report.count("string-repaired"),
                        control = batch.report.count("control-character");
    decodePhase(event, phase, batch);
    const auto anyToken = [&](auto &&has) {
        return has(event.argsText) || std::any_of(event.fields.begin(), event.fields.end(), has);
    };
    if (batch.report.count("string-repaired") == repaired && anyToken([](auto text) { return !isUtf8(text); }))
        batch.report.add("string-repaired", Severity::Warning,
                         {static_cast<std::int64_t>(event.offset), -1, "bytes that are not UTF-8 in its texts"});
    if (batch.report.count("control-character") == control && anyToken(hasControl))
        batch.report.add("control-character", Severity::Info,
                         {static_cast<std::int64_t>(event.offset), -1, std::string(kControlKept)});
}

void Decoder::decodePhase(const JsonEvent &event, std::string_view phase, Batch &batch)
{
    if (event.repaired && phase.size() != 1) { // the mended string swallowed what tells what the event is
        batch.report.add("event-skipped", Severity::DataLoss,
                         {static_cast<std::int64_t>(event.offset), -1, "an event that can't be read"});
        return;
    }
    if (event.repaired)
        batch.report.add("string-repaired", Severity::Warning,
                         {static_cast<std::int64_t>(event.offset), -1,
                          "unescaped quote in: " + std::string(event.field(Field::Name))});
    if (event.duplicate)
        batch.report.add(
            "duplicate-key", Severity::Info,
            {static_cast<std::int64_t>(event.offset), -1, "a key stands twice in an event; the last value counts"});
    switch (phase.size() == 1 ? phase[0] : '\0') {
    case 'X':
        return complete(event, batch);
    case 'i':
    case 'I':
    case 'R':
    case 'P':
        return instant(event, batch);
    case 'B':
        return half(event, batch, false, true);
    case 'E':
        return half(event, batch, false, false);
    case 'b':
    case 'S':
        return half(event, batch, true, true);
    case 'e':
    case 'F':
        return half(event, batch, true, false);
    case 'C':
        return counter(event, batch);
    case 'M':
        return label(event, batch);
    case 's':
        return flow(event, batch, true);
    case 'f':
        return flow(event, batch, false);
    case 'n':
    case 'T':
    case 'p':
        return asyncStep(event, batch);
    case 't':
        return; // a step inside a flow: the ends say all that is shown
    default:
        if (std::string scratch; phase.size() > 1 && phase[0] == '\\') { // "\u0058" is X, if nobody writes it so
            if (const auto decoded = decodeString(phase, scratch); decoded.text.size() == 1)
                return decodePhase(event, decoded.text, batch);
        }
        batch.report.add("phase-not-shown", Severity::Info,
                         {static_cast<std::int64_t>(event.offset), -1,
                          "events of phase \"" + std::string(phase) + "\" have no place on a timeline"});
    }
}

StringId Decoder::text(const JsonEvent &event, std::string_view token, Batch &batch)
{
    if (const StringId known = m_plain.find(unquoted(token)); known.valid() && !event.lenient)
        return known;
    const DecodedText decoded =
        event.lenient ? decodeUncheckedString(token, m_scratch) : decodeString(token, m_scratch);
    if (decoded.repaired && !event.repaired)
        batch.report.add("string-repaired", Severity::Warning,
                         {static_cast<std::int64_t>(event.offset), -1, std::string(decoded.text)});
    if (decoded.control)
        batch.report.add("control-character", Severity::Info,
                         {static_cast<std::int64_t>(event.offset), -1, std::string(kControlKept)});
    const StringId id = m_tables.strings.intern(decoded.text);
    if (!decoded.repaired && !decoded.control && decoded.text == unquoted(token))
        m_plain.put(m_tables.strings.view(id), id);
    return id;
}

StringId Decoder::nameOf(const JsonEvent &event, Batch &batch)
{
    const std::string_view token = event.field(Field::Name);
    const bool none = unquoted(token).empty() || token == "null";
    return none ? m_tables.intern("(no name)") : text(event, token, batch);
}

void Decoder::untimed(const JsonEvent &event, std::string_view what, Batch &batch)
{
    batch.report.add("timestamp-invalid", Severity::Warning,
                     {static_cast<std::int64_t>(event.offset), -1, std::string(what) + " without a time; left out"});
}

bool Decoder::time(const JsonEvent &event, std::int64_t &ns) const
{
    const auto parsed = microsecondsToNs(event.field(Field::Ts));
    ns = parsed.value_or(0);
    return parsed.has_value();
}

LaneId Decoder::rowOf(const JsonEvent &event, RowKind kind, bool device)
{
    Row row{kind, raw(unquoted(event.field(Field::Pid))), raw(unquoted(event.field(Field::Tid))), Row::kUnsaid,
            Row::kUnsaid};
    if (device) {
        row.device = toInt(event.arg(Arg::Device)).value_or(Row::kUnsaid);
        row.stream = toInt(event.arg(Arg::Stream)).value_or(Row::kUnsaid);
    }
    return m_tables.row(row);
}

void Decoder::complete(const JsonEvent &event, Batch &batch)
{
    const Category category = categoryOf(event);
    RawEvent raw = rawEvent(event);
    raw.kind = category.kind;
    raw.name = nameOf(event, batch);
    batch.kineto = batch.kineto || category.kineto;
    if (!time(event, raw.start))
        raw.flags |= EventFlag::kNoTimestamp;
    const auto duration = microsecondsToNs(event.field(Field::Dur));
    raw.duration = duration.value_or(-1);
    const std::string_view name = m_tables.strings.view(raw.name);
    if (raw.kind == EventKind::Op && name.starts_with("ProfilerStep"))
        raw.kind = EventKind::Range; // old Kineto knew only one category
    const RowKind row = category.device ? RowKind::Stream
        : raw.kind == EventKind::Window ? RowKind::Window
                                        : RowKind::Cpu;
    raw.lane = rowOf(event, row, category.device);
    addDetail(event, batch, raw);
    m_tables.add(raw, batch);
}

void Decoder::instant(const JsonEvent &event, Batch &batch)
{
    if (unquoted(event.field(Field::Name)) == "[memory]" && !event.arg(Arg::Bytes).empty())
        return memoryPoint(event, batch);
    if (unquoted(event.field(Field::Cat)) == "tuneline_mark")
        return mark(event, batch);
    RawEvent raw = rawEvent(event);
    raw.kind = EventKind::Instant;
    raw.name = text(event, event.field(Field::Name), batch);
    if (!time(event, raw.start))
        raw.flags |= EventFlag::kNoTimestamp;
    const bool bookkeeping = unquoted(event.field(Field::Scope)) == "g"
        && (isBookkeepingPid(unquoted(event.field(Field::Pid)))
            || unquoted(event.field(Field::Cat)) == analysis::categoryOf(EventKind::Window)); // of our own export
    raw.lane = rowOf(event, bookkeeping ? RowKind::Window : RowKind::Cpu, false);
    m_tables.add(raw, batch);
}

// Of our own export.
void Decoder::mark(const JsonEvent &event, Batch &batch)
{
    Mark mark;
    if (!time(event, mark.time)) {
        untimed(event, "a mark", batch);
        return;
    }
    mark.name = text(event, event.field(Field::Name), batch);
    forEachMember(event.argsText, 0, [&](std::string_view key, std::string_view token) {
        if (key == "value")
            mark.value = toDouble(token).value_or(std::numeric_limits<double>::quiet_NaN());
        else if (key == "kind")
            mark.kind = markKindOf(unquoted(token));
    });
    batch.marks.push_back({mark, raw(unquoted(event.field(Field::Pid)))});
}

void Decoder::memoryPoint(const JsonEvent &event, Batch &batch)
{
    MemoryPoint point;
    if (!time(event, point.time)) {
        untimed(event, "a memory report", batch);
        return;
    }
    point.bytes = toInt(event.arg(Arg::Bytes)).value_or(0);
    point.allocated = toInt(event.arg(Arg::TotalAllocated)).value_or(kUnknown);
    point.reserved = toInt(event.arg(Arg::TotalReserved)).value_or(kUnknown);
    point.address = toId(event.arg(Arg::Address));
    const bool cpu = toInt(event.arg(Arg::DeviceType)).value_or(0) == 0;
    point.device = cpu
        ? -1
        : static_cast<std::int32_t>(std::clamp<std::int64_t>(toInt(event.arg(Arg::DeviceId)).value_or(0), 0, 4096));
    point.pid = raw(unquoted(event.field(Field::Pid)));
    m_tables.memory.push(point);
}

namespace {

// The id of an async event: id2 says in which process it holds, and may be written in any spacing.
std::uint64_t asyncId(const JsonEvent &event, bool &global)
{
    std::string_view own = event.field(Field::Id2).empty() ? event.field(Field::Id) : event.field(Field::Id2);
    if (own.starts_with('{')) {
        std::string_view inner;
        forEachMember(own, 0, [&](std::string_view key, std::string_view token) {
            global = key == "global";
            inner = token;
        });
        own = inner.empty() ? own : inner;
    }
    return toId(own) * 31 + std::hash<std::string_view>{}(unquoted(event.field(Field::Cat)));
}

} // namespace

LaneId Decoder::asyncRow(const JsonEvent &event)
{
    return m_tables.row(
        {RowKind::Async, raw(unquoted(event.field(Field::Pid))), raw(unquoted(event.field(Field::Cat)))});
}

void Decoder::half(const JsonEvent &event, Batch &batch, bool async, bool begin)
{
    const Category category = categoryOf(event);
    HalfEvent half;
    half.begin = begin;
    half.event = rawEvent(event);
    half.event.kind = async ? EventKind::Async : category.kind;
    half.event.name = event.field(Field::Name).empty() ? StringId{0U} : text(event, event.field(Field::Name), batch);
    if (!time(event, half.event.start)) {
        untimed(event, "a begin or end", batch);
        return;
    }
    batch.kineto = batch.kineto || category.kineto;
    if (async) {
        half.id = asyncId(event, half.global);
        half.event.lane = asyncRow(event);
    } else {
        half.event.lane = rowOf(event, category.device ? RowKind::Stream : RowKind::Cpu, category.device);
        addDetail(event, batch, half.event);
    }
    batch.halves.push_back(half);
}

void Decoder::asyncStep(const JsonEvent &event, Batch &batch)
{
    RawEvent raw = rawEvent(event);
    raw.kind = EventKind::Instant;
    raw.name = nameOf(event, batch);
    if (!time(event, raw.start))
        raw.flags |= EventFlag::kNoTimestamp;
    raw.lane = asyncRow(event);
    m_tables.add(raw, batch);
}

void Decoder::counter(const JsonEvent &event, Batch &batch)
{
    CounterPoint point;
    if (!time(event, point.time)) {
        untimed(event, "a counter", batch);
        return;
    }
    point.pid = raw(unquoted(event.field(Field::Pid)));
    const std::size_t before = batch.counters.size() + batch.report.count("number-invalid");
    if (!event.argsText.empty())
        counterValues(event, point, batch);
    if (batch.counters.size() + batch.report.count("number-invalid") == before)
        batch.report.add("event-skipped", Severity::Warning,
                         {static_cast<std::int64_t>(event.offset), -1, "a counter without a value"});
}

// Several members are several series. With an id, a name stands for several counters.
void Decoder::counterValues(const JsonEvent &event, CounterPoint point, Batch &batch)
{
    std::string name{m_tables.strings.view(text(event, event.field(Field::Name), batch))};
    if (!event.field(Field::Id).empty())
        name.append("[").append(unquoted(event.field(Field::Id))).append("]");
    std::size_t members = 0;
    forEachMember(event.argsText, 0, [&](std::string_view, std::string_view) { ++members; });
    forEachMember(event.argsText, 0, [&](std::string_view key, std::string_view token) {
        const auto value = toDouble(token);
        if (!value) {
            batch.report.add(
                "number-invalid", Severity::Info,
                {static_cast<std::int64_t>(event.offset), -1, name + ": " + std::string(token.substr(0, 40))});
            return;
        }
        point.value = *value;
        point.name = m_tables.strings.intern(members == 1 ? name : name + ": " + std::string(key));
        batch.counters.push_back(point);
    });
}

void Decoder::label(const JsonEvent &event, Batch &batch)
{
    const std::string_view name = unquoted(event.field(Field::Name));
    RowLabel label;
    const bool process = name == "process_name", labels = name == "process_labels", thread = name == "thread_name";
    if (!process && !labels && !thread)
        return;
    label.what = process ? RowLabel::What::Process : labels ? RowLabel::What::ProcessLabel : RowLabel::What::Thread;
    const std::string_view said = event.arg(labels ? Arg::Labels : Arg::Name);
    if (said.empty() || said == "null")
        return;
    label.pid = raw(unquoted(event.field(Field::Pid)));
    label.tid = raw(unquoted(event.field(Field::Tid)));
    label.text = text(event, said, batch);
    batch.labels.push_back(label);
}

void Decoder::flow(const JsonEvent &event, Batch &batch, bool begin)
{
    RawFlow flow;
    const std::string_view category = unquoted(event.field(Field::Cat));
    flow.type =
        category == "fwdbwd" || category == "forward_backward" ? RawFlow::Type::ForwardBackward : RawFlow::Type::Launch;
    flow.begin = begin;
    flow.id = toId(event.field(Field::Id).empty() ? event.field(Field::Id2) : event.field(Field::Id));
    if (!time(event, flow.time)) {
        untimed(event, "an arrow's end", batch);
        return;
    }
    flow.lane = rowOf(event, RowKind::Any, false);
    m_tables.add(flow, batch);
}

} // namespace tuneline::analysis::json
