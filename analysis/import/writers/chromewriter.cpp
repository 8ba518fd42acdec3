// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/chromeheader.h"
#include "analysis/import/writers/eventargs.h"
#include "analysis/import/writers/eventtext.h"
#include "analysis/import/writers/writers.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

constexpr std::string_view kLabels = "process_labels";

std::string dump(const json &value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Decimal microseconds, from integers: a double would lose nanoseconds.
std::string microseconds(std::int64_t ns)
{
    std::array<char, 40> text{};
    const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    std::snprintf(text.data(), text.size(), "%s%llu.%03llu", ns < 0 ? "-" : "",
                  static_cast<unsigned long long>(magnitude / 1000), static_cast<unsigned long long>(magnitude % 1000));
    return text.data();
}

class ChromeWriter
{
public:
    ChromeWriter(const Trace &trace, std::ostream &out)
        : m_trace(trace)
        , m_rows(trace)
        , m_out(out)
    { }

    Result<void> write(Progress &progress);

private:
    void header();
    void laneNames();
    void label(std::string_view what, const std::string &pid, const std::string &tid, const std::string &text);
    void event(EventId e);
    void async(EventId e);
    void flows(EventId e);
    void counters();
    void memory();
    void marks();

    // Begins an event object: comma, phase, lane, time. The caller adds members and the closing brace.
    void open(const char *phase, const std::string &pid, const std::string &tid, std::int64_t time);
    void flow(const char *phase, const char *name, std::uint64_t id, EventId at);
    void open(const char *phase, LaneId lane, std::int64_t time)
    {
        open(phase, m_rows.pid(lane), m_rows.tid(lane), time);
    }

    const Trace &m_trace;
    const ChromeRows m_rows;
    std::ostream &m_out;
    bool m_first = true;
};

void ChromeWriter::open(const char *phase, const std::string &pid, const std::string &tid, std::int64_t time)
{
    m_out << (m_first ? "\n" : ",\n") << R"({"ph":")" << phase << R"(","pid":)" << pid << R"(,"tid":)" << tid;
    if (time != kUnknown)
        m_out << R"(,"ts":)" << microseconds(time);
    m_first = false;
}

void ChromeWriter::header()
{
    std::string text = dump(chromeHeader(m_trace, m_rows));
    text.pop_back(); // the list of events is the last member
    m_out << text << R"(,"traceEvents":[)";
}

void ChromeWriter::label(std::string_view what, const std::string &pid, const std::string &tid, const std::string &text)
{
    open("M", pid, tid, 0);
    m_out << R"(,"name":")" << what << R"(","args":{")" << (what == kLabels ? "labels" : "name") << R"(":)"
          << dump(text) << "}}";
}

void ChromeWriter::laneNames()
{
    for (std::size_t i = 0; i < m_trace.lanes.size(); ++i) {
        const Lane &lane = m_trace.lanes[i];
        const std::string &pid = m_rows.pid(LaneId{i}), &tid = m_rows.tid(LaneId{i});
        const bool guest = lane.kind == LaneKind::Stream && m_rows.hasThreads(LaneId{i}); // one name for a process
        label(guest ? kLabels : std::string_view("process_name"), pid, tid, m_rows.process(m_trace, lane));
        label("thread_name", pid, tid, std::string(m_trace.strings.view(lane.thread)));
    }
    for (std::size_t i = 0; i < m_trace.sources.size() && m_trace.sources.size() > 1; ++i)
        label("process_name", m_rows.pid(SourceId{i}), "0", m_trace.sources[i].label);
}

// An async row is a category.
void ChromeWriter::async(EventId e)
{
    const LaneId lane = m_trace.events.lane[e.value];
    const std::string rest = R"(,"cat":)" + dump(std::string(m_trace.strings.view(m_trace.laneOf(e).tid)))
        + R"(,"name":)" + dump(std::string(m_trace.name(e))) + R"(,"id":)" + std::to_string(e.value) + '}';
    if (m_trace.kind(e) == EventKind::Instant) {
        open("n", lane, m_trace.start(e));
        m_out << rest;
        return;
    }
    open("b", lane, m_trace.start(e));
    m_out << rest;
    if (m_trace.hasFlag(e, EventFlag::kUnfinished))
        return;
    open("e", lane, m_trace.end(e));
    m_out << rest;
}

void ChromeWriter::event(EventId e)
{
    const EventKind kind = m_trace.kind(e);
    const LaneKind row = m_trace.laneOf(e).kind;
    if (row == LaneKind::Async)
        return async(e);
    const std::int64_t time = m_trace.hasFlag(e, EventFlag::kNoTimestamp) ? kUnknown : m_trace.start(e);
    const bool instant = kind == EventKind::Instant, window = row == LaneKind::Window;
    const bool unfinished = m_trace.hasFlag(e, EventFlag::kUnfinished);
    open(instant ? "i" : unfinished ? "B" : "X", m_trace.events.lane[e.value], time);
    m_out << R"(,"cat":")" << (window ? categoryOf(EventKind::Window) : categoryOf(kind)) << R"(","name":)"
          << dump(std::string(m_trace.name(e)));
    if (instant)
        m_out << (window ? R"(,"s":"g")" : R"(,"s":"t")");
    else if (!m_trace.hasFlag(e, EventFlag::kNoDuration) && !unfinished)
        m_out << R"(,"dur":)" << microseconds(m_trace.duration(e));
    if (const json args = eventArgs(m_trace, e); !args.empty())
        m_out << R"(,"args":)" << dump(args);
    m_out << '}';
    flows(e);
}

// Launch → record. Viewers draw an arrow; readers link by correlation and fall back to these.
void ChromeWriter::flows(EventId e)
{
    if (!isDeviceWork(m_trace.kind(e)) || !m_trace.events.launch[e.value].valid())
        return;
    flow("s", "ac2g", e.value, m_trace.events.launch[e.value]);
    flow("f", "ac2g", e.value, e);
}

void ChromeWriter::flow(const char *phase, const char *name, std::uint64_t id, EventId at)
{
    open(phase, m_trace.events.lane[at.value], m_trace.start(at));
    m_out << R"(,"cat":")" << name << R"(","name":")" << name << R"(","id":)" << id
          << (*phase == 'f' ? R"(,"bp":"e"})" : "}");
}

void ChromeWriter::counters()
{
    for (const CounterTrack &track : m_trace.counters)
        for (std::size_t i = 0; i < track.time.size(); ++i) {
            open("C", m_rows.pid(track.source), "0", track.time[i]);
            m_out << R"(,"name":)" << dump(std::string(m_trace.strings.view(track.name))) << R"(,"args":{"value":)"
                  << dump(track.value[i]) << "}}";
        }
}

void ChromeWriter::memory()
{
    for (const MemoryTrack &track : m_trace.memory)
        for (std::size_t i = 0; i < track.time.size(); ++i) {
            json args{{"Device Type", track.device < 0 ? 0 : 1},
                      {"Device Id", track.device},
                      {"Addr", track.address[i]},
                      {"Bytes", track.bytes[i]}};
            if (track.allocated[i] != kUnknown)
                args["Total Allocated"] = track.allocated[i];
            if (track.reserved[i] != kUnknown)
                args["Total Reserved"] = track.reserved[i];
            open("i", m_rows.pid(track.source), "0", track.time[i]);
            m_out << R"(,"name":"[memory]","s":"t","cat":"cpu_instant_event","args":)" << dump(args) << '}';
        }
}

void ChromeWriter::marks()
{
    for (const Mark &mark : m_trace.marks) {
        open("i", m_rows.pid(mark.source), "0", mark.time);
        m_out << R"(,"s":"p","cat":"tuneline_mark","name":)" << dump(std::string(m_trace.strings.view(mark.name)))
              << R"(,"args":{"kind":")" << toText(mark.kind) << R"(","value":)" << dump(mark.value) << "}}";
    }
}

Result<void> ChromeWriter::write(Progress &progress)
{
    header();
    laneNames();
    const auto count = static_cast<std::uint32_t>(m_trace.events.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % 4096 == 0) {
            if (progress.cancelled())
                return fail(Error::Code::Cancelled, "Export cancelled.");
            progress.permille = static_cast<std::uint32_t>(1000ULL * i / count);
        }
        event(EventId{i});
    }
    std::uint64_t link = count; // flow ids of their own
    for (const ForwardBackward &fb : m_trace.forwardBackward) {
        flow("s", "fwdbwd", link, fb.forward);
        flow("f", "fwdbwd", link++, fb.backward);
    }
    counters();
    memory();
    marks();
    m_out << "\n]}\n";
    m_out.flush();
    if (!m_out)
        return fail(Error::Code::CannotWrite, "The export could not be written to its end; check the free space.");
    progress.permille = 1000;
    return {};
}

} // namespace

Result<void> writeChromeTrace(const Trace &trace, std::ostream &out, Progress &progress)
{
    if (trace.sources.empty())
        return fail(Error::Code::Usage, "This trace has no source; there is nothing to export.");
    return ChromeWriter(trace, out).write(progress);
}

} // namespace tuneline::analysis
