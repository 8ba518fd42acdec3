// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/eventargs.h"
#include "analysis/import/writers/eventtext.h"
#include "analysis/import/writers/writers.h"

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

// RFC 4180: quotes around what holds a separator, a quote or a line end; quotes are doubled.
std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == text.npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string orEmpty(std::int64_t value, std::int64_t unknown)
{
    return value == unknown ? std::string() : std::to_string(value);
}

Result<void> writeTable(const std::filesystem::path &file, const std::function<void(std::ostream &)> &body)
{
    std::ofstream out(file);
    body(out);
    out.flush();
    if (!out)
        return fail(Error::Code::CannotWrite,
                    "The table could not be written; check the folder's permissions and free space.", file.string());
    return {};
}

void lanes(const Trace &t, std::ostream &out)
{
    out << "lane,kind,source,process,thread,pid,tid,device,stream,events,overlaps,busy_ns\n";
    for (std::size_t i = 0; i < t.lanes.size(); ++i) {
        const Lane &l = t.lanes[i];
        out << i << ',' << toText(l.kind) << ',' << csvField(t.sources[l.source.value].label) << ','
            << csvField(t.strings.view(l.process)) << ',' << csvField(t.strings.view(l.thread)) << ','
            << csvField(t.strings.view(l.pid)) << ',' << csvField(t.strings.view(l.tid)) << ','
            << (l.device ? std::to_string(*l.device) : "") << ',' << (l.stream ? std::to_string(*l.stream) : "") << ','
            << l.count << ',' << l.overlaps << ',' << l.busyNs << '\n';
    }
}

void events(const Trace &t, std::ostream &out)
{
    out << "event,lane,kind,name,start_ns,duration_ns,depth,parent,launch,correlation,flags,args\n";
    for (std::uint32_t i = 0; i < t.events.size(); ++i) {
        const EventId e{i};
        const EventId parent = t.events.parent[i], launch = t.events.launch[i];
        const nlohmann::json args = eventArgs(t, e);
        out << i << ',' << t.events.lane[i].value << ',' << categoryOf(t.kind(e)) << ',' << csvField(t.name(e)) << ','
            << t.start(e) << ',' << t.duration(e) << ',' << t.events.depth[i] << ','
            << (parent.valid() ? std::to_string(parent.value) : "") << ','
            << (launch.valid() ? std::to_string(launch.value) : "") << ',' << t.events.correlation[i] << ','
            << int(t.events.flags[i]) << ','
            << (args.empty() ? std::string()
                             : csvField(args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)))
            << '\n';
    }
}

void counters(const Trace &t, std::ostream &out)
{
    out << "counter,source,time_ns,value\n";
    for (const CounterTrack &c : t.counters)
        for (std::size_t i = 0; i < c.time.size(); ++i)
            out << csvField(t.strings.view(c.name)) << ',' << csvField(t.sources[c.source.value].label) << ','
                << c.time[i] << ',' << nlohmann::json(c.value[i]).dump() << '\n';
}

void memory(const Trace &t, std::ostream &out)
{
    out << "device,source,time_ns,bytes,address,allocated,reserved\n";
    for (const MemoryTrack &m : t.memory)
        for (std::size_t i = 0; i < m.time.size(); ++i)
            out << (m.device < 0 ? std::string("cpu") : std::to_string(m.device)) << ','
                << csvField(t.sources[m.source.value].label) << ',' << m.time[i] << ',' << m.bytes[i] << ','
                << m.address[i] << ',' << orEmpty(m.allocated[i], kUnknown) << ',' << orEmpty(m.reserved[i], kUnknown)
                << '\n';
}

void marks(const Trace &t, std::ostream &out)
{
    out << "time_ns,kind,name,value,source\n";
    for (const Mark &m : t.marks)
        out << m.time << ',' << toText(m.kind) << ',' << csvField(t.strings.view(m.name)) << ','
            << nlohmann::json(m.value).dump() << ',' << csvField(t.sources[m.source.value].label) << '\n';
}

} // namespace

Result<void> writeCsv(const Trace &trace, const std::filesystem::path &folder, Progress &progress)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return fail(Error::Code::CannotWrite, "The folder for the tables can't be made: " + error.message() + '.',
                    folder.string());

    using Writer = void (*)(const Trace &, std::ostream &);
    const std::pair<const char *, Writer> tables[]{{"lanes.csv", lanes},
                                                   {"events.csv", events},
                                                   {"counters.csv", counters},
                                                   {"memory.csv", memory},
                                                   {"marks.csv", marks}};
    for (const auto &[name, writer] : tables) {
        if (progress.cancelled())
            return fail(Error::Code::Cancelled, "Export cancelled.");
        const Writer write = writer;
        if (auto done = writeTable(folder / name, [&](std::ostream &out) { write(trace, out); }); !done)
            return done;
    }
    progress.permille = 1000;
    return {};
}

} // namespace tuneline::analysis
