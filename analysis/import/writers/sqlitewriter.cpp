// SPDX-License-Identifier: GPL-3.0-or-later
// The schema is kSchema; kAbout, which goes into the file, says what it means, and so does export-formats.md.
#include "analysis/import/writers/eventargs.h"
#include "analysis/import/writers/eventtext.h"
#include "analysis/import/writers/writers.h"

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace tuneline::analysis {

namespace {

constexpr const char *kSchema = R"(
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE about(key TEXT PRIMARY KEY, value);
CREATE TABLE source(id INTEGER PRIMARY KEY, label TEXT, file TEXT, rank INTEGER, world_size INTEGER, metadata TEXT);
CREATE TABLE lane(id INTEGER PRIMARY KEY, kind TEXT, source INTEGER, process TEXT, thread TEXT, pid TEXT, tid TEXT, device INTEGER,
                  stream INTEGER, rank INTEGER, events INTEGER, overlaps INTEGER, busy_ns INTEGER);
CREATE TABLE event(id INTEGER PRIMARY KEY, lane INTEGER, kind TEXT, name TEXT, start_ns INTEGER, duration_ns INTEGER, depth INTEGER,
                   parent INTEGER, launch INTEGER, correlation INTEGER, flags INTEGER, args TEXT);
CREATE TABLE counter(name TEXT, source INTEGER, time_ns INTEGER, value REAL);
CREATE TABLE memory(device INTEGER, source INTEGER, time_ns INTEGER, bytes INTEGER, address INTEGER, allocated INTEGER, reserved INTEGER);
CREATE TABLE mark(time_ns INTEGER, kind TEXT, name TEXT, value REAL, source INTEGER);
CREATE TABLE problem(name TEXT, severity TEXT, count INTEGER, example TEXT);
BEGIN;
)";

// For whoever opens the file without the documentation: table `about`, beside base_unix_ns and the span.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAbout{{
    {"written_by", "tuneline"},
    {"schema", "times are integer ns from the first valid event, whose Unix time is base_unix_ns; NULL is unknown"},
    {"table source", "one input file or document; rank of world_size; metadata: what the file said about itself, JSON"},
    {"table lane",
     "a thread (cpu), a device queue (stream), async slices, a profiler's window; overlaps: slices that "
     "cross; busy_ns: union of its slices, of a stream: of its work"},
    {"table event",
     "kind: Kineto's categories; depth: drawing row; parent: innermost enclosing event of its lane; launch: "
     "of device work the call that launched it, of a call its first device record; args: JSON; flags: 1 no "
     "duration, 2 no time stamp, 4 never ended, 8 stray, 16 launched before the trace, 32 starts before its "
     "launch, 64 launch found without correlation"},
    {"table counter", "a point of a counter"},
    {"table memory", "an allocation (bytes < 0: freed) and the totals after it; device -1: CPU"},
    {"table mark", "what the program said about itself: units, loss, …"},
    {"table problem", "what was wrong with the input: kind, severity, how often, an example"},
    {"example",
     "SELECT name, count(*), sum(duration_ns) FROM event WHERE kind = 'kernel' GROUP BY name ORDER BY 3 DESC"},
}};

constexpr const char *kEnd = R"(
CREATE INDEX event_name ON event(name);
CREATE INDEX event_lane ON event(lane, start_ns);
COMMIT;
)";

// A prepared INSERT. Values are bound in order by row(…); std::nullopt becomes NULL.
class Insert
{
public:
    Insert(sqlite3 *db, const char *sql) { sqlite3_prepare_v2(db, sql, -1, &m_statement, nullptr); }
    ~Insert() { sqlite3_finalize(m_statement); }
    Insert(const Insert &) = delete;
    Insert &operator=(const Insert &) = delete;

    template <typename... Values> bool row(const Values &...values)
    {
        int column = 0;
        (bind(++column, values), ...);
        const bool done = sqlite3_step(m_statement) == SQLITE_DONE;
        sqlite3_reset(m_statement);
        return done;
    }

private:
    void bind(int column, std::int64_t value) { sqlite3_bind_int64(m_statement, column, value); }
    void bind(int column, double value) { sqlite3_bind_double(m_statement, column, value); }
    void bind(int column, std::string_view value)
    {
        sqlite3_bind_text(m_statement, column, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    }
    template <typename T> void bind(int column, const std::optional<T> &value)
    {
        if (value)
            bind(column, static_cast<std::int64_t>(*value));
        else
            sqlite3_bind_null(m_statement, column);
    }

    sqlite3_stmt *m_statement = nullptr;
};

std::optional<std::int64_t> known(std::int64_t value)
{
    return value == kUnknown ? std::nullopt : std::optional(value);
}
std::optional<std::int64_t> known(EventId id)
{
    return id.valid() ? std::optional<std::int64_t>(id.value) : std::nullopt;
}

bool writeFacts(sqlite3 *db, const Trace &t)
{
    Insert about(db, "INSERT INTO about VALUES(?,?)");
    bool ok = true;
    for (const auto &[key, text] : kAbout)
        ok = ok && about.row(key, text);
    ok = ok && about.row(std::string_view("base_unix_ns"), t.baseUnixNs)
        && about.row(std::string_view("span_begin"), t.spanBegin) && about.row(std::string_view("span_end"), t.spanEnd);

    Insert source(db, "INSERT INTO source VALUES(?,?,?,?,?,?)");
    for (std::size_t i = 0; ok && i < t.sources.size(); ++i) {
        const Source &s = t.sources[i];
        ok = source.row(static_cast<std::int64_t>(i), std::string_view(s.label), std::string_view(s.file), s.rank,
                        s.worldSize, std::string_view(s.metadataJson));
    }
    Insert lane(db, "INSERT INTO lane VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (std::size_t i = 0; ok && i < t.lanes.size(); ++i) {
        const Lane &l = t.lanes[i];
        ok = lane.row(static_cast<std::int64_t>(i), toText(l.kind), static_cast<std::int64_t>(l.source.value),
                      t.strings.view(l.process), t.strings.view(l.thread), t.strings.view(l.pid), t.strings.view(l.tid),
                      l.device, l.stream, l.rank, static_cast<std::int64_t>(l.count),
                      static_cast<std::int64_t>(l.overlaps), l.busyNs);
    }
    constexpr const char *severities[]{"info", "warning", "data-loss"};
    Insert problem(db, "INSERT INTO problem VALUES(?,?,?,?)");
    for (const Problem &p : t.report.problems())
        ok = ok
            && problem.row(std::string_view(p.name), std::string_view(severities[static_cast<int>(p.severity)]),
                           static_cast<std::int64_t>(p.count),
                           std::string_view(p.examples.empty() ? std::string() : p.examples.front().text));
    return ok;
}

bool writeSeries(sqlite3 *db, const Trace &t)
{
    bool ok = true;
    Insert counter(db, "INSERT INTO counter VALUES(?,?,?,?)");
    for (const CounterTrack &c : t.counters)
        for (std::size_t i = 0; ok && i < c.time.size(); ++i)
            ok = counter.row(t.strings.view(c.name), static_cast<std::int64_t>(c.source.value), c.time[i], c.value[i]);
    Insert memory(db, "INSERT INTO memory VALUES(?,?,?,?,?,?,?)");
    for (const MemoryTrack &m : t.memory)
        for (std::size_t i = 0; ok && i < m.time.size(); ++i)
            ok = memory.row(static_cast<std::int64_t>(m.device), static_cast<std::int64_t>(m.source.value), m.time[i],
                            m.bytes[i], static_cast<std::int64_t>(m.address[i]), known(m.allocated[i]),
                            known(m.reserved[i]));
    Insert mark(db, "INSERT INTO mark VALUES(?,?,?,?,?)");
    for (const Mark &m : t.marks)
        ok = ok
            && mark.row(m.time, toText(m.kind), t.strings.view(m.name), m.value,
                        static_cast<std::int64_t>(m.source.value));
    return ok;
}

Result<void> writeEvents(sqlite3 *db, const Trace &t, Progress &progress)
{
    Insert event(db, "INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    const auto count = static_cast<std::uint32_t>(t.events.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % 4096 == 0) {
            if (progress.cancelled())
                return fail(Error::Code::Cancelled, "Export cancelled.");
            progress.permille = static_cast<std::uint32_t>(1000ULL * i / count);
        }
        const EventId e{i};
        const nlohmann::json args = eventArgs(t, e);
        const std::string text =
            args.empty() ? std::string() : args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        const bool ok = event.row(static_cast<std::int64_t>(i), static_cast<std::int64_t>(t.events.lane[i].value),
                                  categoryOf(t.kind(e)), t.name(e), t.start(e), t.duration(e),
                                  static_cast<std::int64_t>(t.events.depth[i]), known(t.events.parent[i]),
                                  known(t.events.launch[i]), static_cast<std::int64_t>(t.events.correlation[i]),
                                  static_cast<std::int64_t>(t.events.flags[i]), std::string_view(text));
        if (!ok)
            return fail(Error::Code::CannotWrite, sqlite3_errmsg(db));
    }
    return {};
}

Result<void> fill(sqlite3 *db, const Trace &trace, Progress &progress)
{
    if (sqlite3_exec(db, kSchema, nullptr, nullptr, nullptr) != SQLITE_OK || !writeFacts(db, trace)
        || !writeSeries(db, trace))
        return fail(Error::Code::CannotWrite, sqlite3_errmsg(db));
    if (auto done = writeEvents(db, trace, progress); !done)
        return done;
    if (sqlite3_exec(db, kEnd, nullptr, nullptr, nullptr) != SQLITE_OK)
        return fail(Error::Code::CannotWrite, sqlite3_errmsg(db));
    return {};
}

} // namespace

Result<void> writeSqlite(const Trace &trace, const std::filesystem::path &file, Progress &progress)
{
    std::error_code error;
    std::filesystem::remove(file, error); // an export replaces an export; SQLite would add to it
    sqlite3 *raw = nullptr;
    const int opened = sqlite3_open(file.c_str(), &raw);
    const std::unique_ptr<sqlite3, int (*)(sqlite3 *)> db(raw, sqlite3_close);
    if (opened != SQLITE_OK)
        return fail(Error::Code::CannotWrite, "The database can't be made; check the folder and its permissions.",
                    file.string());
    auto done = fill(db.get(), trace, progress);
    if (!done)
        return fail(done.error().code, "The database could not be written: " + done.error().message + '.',
                    file.string());
    progress.permille = 1000;
    return {};
}

} // namespace tuneline::analysis
