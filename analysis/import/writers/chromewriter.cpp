// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/eventargs.h"
#include "analysis/import/writers/eventtext.h"
#include "analysis/import/writers/writers.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

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
        , m_out(out)
    { }

    Result<void> write(Progress &progress);

private:
    void header();
    [[nodiscard]] static json captureFacts(const CaptureFacts &facts);
    void laneNames();
    void event(EventId e);
    void flows(EventId e);
    void counters();
    void memory();
    void marks();

    // Begins an event object: comma, phase, lane, time. The caller adds members and the closing brace.
    void open(const char *phase, const std::string &pid, const std::string &tid, std::int64_t time);
    void flow(const char *phase, const char *name, std::uint64_t id, EventId at);
    std::string pid(const Lane &lane) const;
    std::string tid(const Lane &lane) const;
    std::string id(const Lane &lane, StringId text) const;

    const Trace &m_trace;
    std::ostream &m_out;
    bool m_first = true;
};

// A number stays a number. Two ranks on two machines may share pids: the rank goes in front of them.
std::string ChromeWriter::id(const Lane &lane, StringId text) const
{
    const std::string_view view = m_trace.strings.view(text);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
    const bool numeric = error == std::errc() && end == view.data() + view.size();
    if (m_trace.sources.size() == 1 && numeric)
        return std::string(view);
    std::string label(view);
    if (m_trace.sources.size() > 1)
        label = m_trace.sources[lane.source.value].label + '/' + label;
    return dump(label);
}

std::string ChromeWriter::pid(const Lane &lane) const
{
    return id(lane, lane.pid);
}

std::string ChromeWriter::tid(const Lane &lane) const
{
    const std::string_view view = m_trace.strings.view(lane.tid);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
    return error == std::errc() && end == view.data() + view.size() ? std::string(view) : dump(std::string(view));
}

void ChromeWriter::open(const char *phase, const std::string &pid, const std::string &tid, std::int64_t time)
{
    m_out << (m_first ? "\n" : ",\n") << R"({"ph":")" << phase << R"(","pid":)" << pid << R"(,"tid":)" << tid;
    if (time != kUnknown)
        m_out << R"(,"ts":)" << microseconds(time);
    m_first = false;
}

// What the reader needs for the same figures (jsonheader.cpp).
json ChromeWriter::captureFacts(const CaptureFacts &facts)
{
    return {{"slowdown", facts.slowdown ? json(*facts.slowdown) : json(nullptr)},
            {"dropped", facts.dropped},
            {"complete", facts.complete},
            {"plain_steps_ns", facts.plainStepsNs},
            {"detail", facts.detail},
            {"host_event_cost_ns", facts.hostEventCostNs}};
}

void ChromeWriter::header()
{
    json head = json::object();
    head["schemaVersion"] = 1;
    if (m_trace.baseUnixNs)
        head["baseTimeNanoseconds"] = *m_trace.baseUnixNs;
    const Source &source = m_trace.sources.front();
    for (const DeviceProperties &d : source.devices)
        head["deviceProperties"].push_back({{"id", d.id},
                                            {"name", d.name},
                                            {"totalGlobalMem", d.memoryBytes},
                                            {"computeMajor", d.computeMajor},
                                            {"computeMinor", d.computeMinor},
                                            {"numSms", d.multiprocessors},
                                            {"maxThreadsPerMultiprocessor", d.maxThreadsPerMultiprocessor}});
    if (m_trace.sources.size() == 1 && source.rank)
        head["distributedInfo"] = {{"rank", *source.rank}, {"world_size", source.worldSize.value_or(-1)}};
    head["tuneline"] = {
        {"config", source.config}, {"capture", captureFacts(source.capture)}, {"report", json::object()}};
    for (const Problem &p : m_trace.report.problems())
        head["tuneline"]["report"][p.name] = p.count;
    std::string text = dump(head);
    text.pop_back(); // the list of events is the last member
    m_out << text << R"(,"displayTimeUnit":"ms","traceEvents":[)";
}

void ChromeWriter::laneNames()
{
    for (const Lane &lane : m_trace.lanes) {
        open("M", pid(lane), tid(lane), 0);
        m_out << R"(,"name":"process_name","args":{"name":)" << dump(std::string(m_trace.strings.view(lane.process)))
              << "}}";
        open("M", pid(lane), tid(lane), 0);
        m_out << R"(,"name":"thread_name","args":{"name":)" << dump(std::string(m_trace.strings.view(lane.thread)))
              << "}}";
    }
}

void ChromeWriter::event(EventId e)
{
    const EventKind kind = m_trace.kind(e);
    const Lane &lane = m_trace.laneOf(e);
    const std::string rest =
        R"(,"cat":")" + std::string(categoryOf(kind)) + R"(","name":)" + dump(std::string(m_trace.name(e)));
    const std::int64_t time = m_trace.hasFlag(e, EventFlag::kNoTimestamp) ? kUnknown : m_trace.start(e);
    if (kind == EventKind::Async) {
        const std::string asyncId = R"(,"id":)" + std::to_string(e.value) + '}';
        open("b", pid(lane), tid(lane), time);
        m_out << rest << asyncId;
        open("e", pid(lane), tid(lane), m_trace.end(e));
        m_out << rest << asyncId;
        return;
    }
    open(kind == EventKind::Instant                       ? "i"
             : m_trace.hasFlag(e, EventFlag::kUnfinished) ? "B"
                                                          : "X",
         pid(lane), tid(lane), time);
    m_out << rest;
    if (kind == EventKind::Instant)
        m_out << R"(,"s":"t")";
    else if (!m_trace.hasFlag(e, EventFlag::kNoDuration) && !m_trace.hasFlag(e, EventFlag::kUnfinished))
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
    const Lane &lane = m_trace.laneOf(at);
    open(phase, pid(lane), tid(lane), m_trace.start(at));
    m_out << R"(,"cat":")" << name << R"(","name":")" << name << R"(","id":)" << id
          << (*phase == 'f' ? R"(,"bp":"e"})" : "}");
}

void ChromeWriter::counters()
{
    for (const CounterTrack &track : m_trace.counters)
        for (std::size_t i = 0; i < track.time.size(); ++i) {
            open("C", dump(m_trace.sources[track.source.value].label), "0", track.time[i]);
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
            open("i", dump(m_trace.sources[track.source.value].label), "0", track.time[i]);
            m_out << R"(,"name":"[memory]","s":"t","cat":"cpu_instant_event","args":)" << dump(args) << '}';
        }
}

void ChromeWriter::marks()
{
    for (const Mark &mark : m_trace.marks) {
        open("i", dump(m_trace.sources[mark.source.value].label), "0", mark.time);
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
