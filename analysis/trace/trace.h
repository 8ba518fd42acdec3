// SPDX-License-Identifier: GPL-3.0-or-later
// The columnar trace: what every reader produces and everything else reads. Made by TraceBuilder, then immutable and
// shared as std::shared_ptr<const Trace>: any thread may read it without a lock.
//
// Times are int64 ns from the first valid event; the wall-clock time of that zero is kept once, in Trace::baseUnixNs.
// Events are stored lane after lane; within a lane sorted by start, longer first. So a lane is a range of EventIds, and
// "what is visible in [a, b)" is two binary searches (Lane::maxEnd below).
#pragma once

#include "analysis/trace/column.h"
#include "analysis/trace/details.h"
#include "analysis/trace/ids.h"
#include "analysis/trace/importreport.h"
#include "analysis/trace/stringpool.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tuneline::analysis {

enum class EventKind : std::uint8_t {
    // on a CPU lane
    Op, // cpu_op: an operator or autograd node
    Range, // user_annotation, NVTX range, user scope, ProfilerStep#n, TunelineStep#n
    Python, // python_function
    Runtime, // cuda_runtime call (cudaLaunchKernel, …)
    Driver, // cuda_driver call (cuLaunchKernel, …)
    Compile, // JIT, module load, torch.compile
    Overhead, // the profiler's own cost, full command buffer
    // on a stream lane
    Kernel,
    Copy, // gpu_memcpy
    Memset, // gpu_memset
    DeviceSync, // cuda_sync rows: a wait, not work
    DeviceRange, // gpu_user_annotation: a label, not work
    // anywhere
    Window, // a profiler's record window ("Spans" rows): neither work nor a thread's time
    Async, // async begin/end pairs: may overlap, no nesting
    Instant,
    Slice, // X or B/E of an unknown category on a CPU lane
};

[[nodiscard]] constexpr bool isDeviceWork(EventKind k) noexcept
{
    return k == EventKind::Kernel || k == EventKind::Copy || k == EventKind::Memset;
}
[[nodiscard]] constexpr bool isApiCall(EventKind k) noexcept
{
    return k == EventKind::Runtime || k == EventKind::Driver;
}

namespace EventFlag {
inline constexpr std::uint8_t kNoDuration = 1; // length unknown: drawn as a tick, in no average
inline constexpr std::uint8_t kNoTimestamp = 2; // time unknown: listed, in no figure and not on the axis
inline constexpr std::uint8_t kUnfinished = 4; // begun, never ended: drawn up to the trace's end
inline constexpr std::uint8_t kStray = 8; // far outside the rest of the trace: reachable, in no step
inline constexpr std::uint8_t kOrphan = 16; // device record launched before the window (DESIGN section 4)
inline constexpr std::uint8_t kClockSkew = 32; // starts before its own launch call
inline constexpr std::uint8_t kGuessedLink = 64; // launch found by order or external id, not by correlation
} // namespace EventFlag

// Column i of each vector belongs to EventId{i}.
struct EventColumns
{
    Column<std::int64_t> start; // ns
    Column<std::int64_t> duration; // ns, ≥ 0
    Column<StringId> name;
    Column<LaneId> lane;
    Column<EventId> parent; // innermost enclosing event of the same lane (CPU lanes only), else invalid
    Column<EventId> launch; // device record: the call that launched it; API call: its first device record
    Column<std::uint32_t> detail; // index into the table of this kind, Id<>::kNone = none
    Column<std::uint16_t> depth; // drawing row inside the lane: nesting, or sub-lane of overlapping slices
    Column<EventKind> kind;
    Column<std::uint8_t> flags; // EventFlag bits
    Column<std::uint64_t> correlation; // as in the file; 0 = none
    Column<std::uint64_t> argsOffset; // where the event stands in its source (see Trace::argsText)

    [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
};

enum class LaneKind : std::uint8_t { Cpu, Stream, Async, Window };

struct Lane
{
    LaneKind kind = LaneKind::Cpu;
    SourceId source;
    StringId process{0U}; // label, "python3 (719)"
    StringId thread{0U}; // label, "thread 748 (pt_autograd_0)", "stream 7"
    StringId pid{0U}, tid{0U}; // as in the file (they may be texts)
    std::optional<int> device; // stream lanes
    std::optional<std::int64_t> stream;
    std::optional<int> rank;

    std::uint32_t first = 0, count = 0; // its events: EventId{first} … EventId{first + count - 1}
    std::uint32_t depth = 0; // rows it needs
    std::uint32_t overlaps = 0; // pairs that overlap without nesting
    std::int64_t busyNs = 0; // union of its slices (stream lanes: of its work)
    std::vector<std::int64_t> maxEnd; // running maximum of the ends, for visibility searches
};

struct CounterTrack
{
    StringId name{0U};
    StringId unit{0U}; // "" = unknown
    SourceId source;
    std::vector<std::int64_t> time; // ns, sorted
    std::vector<double> value;
};

// Allocations of one device, in time order.
struct MemoryTrack
{
    int device = -1; // -1 = CPU
    SourceId source;
    std::vector<std::int64_t> time;
    std::vector<std::int64_t> bytes; // < 0: freed
    std::vector<std::uint64_t> address;
    std::vector<std::int64_t> allocated; // total after it, kUnknown = not stated
    std::vector<std::int64_t> reserved;
};

// A figure that the program said about itself (tuneline/marks.h).
enum class MarkKind : std::uint8_t { Units, ValidUnits, Loss, GradientNorm, SkippedStep, CorruptedSamples, Metric };
struct Mark
{
    std::int64_t time = 0;
    MarkKind kind = MarkKind::Metric;
    StringId name{0U};
    double value = 0;
    SourceId source;
};

// Another process that NVML saw on a device.
struct DeviceProcess
{
    std::int64_t pid = -1;
    std::string name; // "" = not visible
    std::int64_t memoryBytes = -1;
    double usedShare = -1; // of the device's time, the most that was seen; −1 = unknown
};

struct DeviceProperties
{
    int id = 0;
    std::string name;
    std::int64_t memoryBytes = -1;
    int computeMajor = -1, computeMinor = -1;
    int multiprocessors = -1;
    int maxThreadsPerMultiprocessor = -1;
    // From NVML, in captures.
    std::string uuid;
    int smClockMaxMhz = -1;
    double powerLimitWatts = -1;
    int pcieGeneration = -1, pcieGenerationMax = -1, pcieWidth = -1, pcieWidthMax = -1;
    int otherProcesses = -1;
    std::vector<DeviceProcess> processes; // of others, as far as they are visible
};

// What a capture says about its own quality.
struct CaptureFacts
{
    std::optional<double> slowdown; // step time inside the window / outside it; nullopt = not measured
    std::uint64_t dropped = 0;
    bool complete = true; // false: the writer did not get to end the file
    std::vector<std::int64_t> plainStepsNs; // host step times without recording, before the window (or around it)
    std::string detail; // light, normal, full; "" = unknown
    double hostEventCostNs = 0; // estimated cost of each recorded host event, 0 = unknown
    std::string nvml; // "on", or why there are no figures of the devices; "" = unknown
};

enum class SourceFormat : std::uint8_t { Tuneline, KinetoJson, ChromeJson, NsysSqlite };

// How a rank's clock was brought to the common axis.
struct RankAlignment
{
    bool byCollectives = false; // false: by the time that its file states, which the collectives only check
    std::int64_t offsetNs = 0; // added to its times
    std::optional<std::int64_t> residualNs; // median distance of its collectives' ends from the first rank's; nullopt =
                                            // no collectives to compare
    std::size_t collectives = 0; // compared
};

// One input file (or one document of it).
struct Source
{
    std::string file;
    SourceFormat format = SourceFormat::ChromeJson;
    std::uint32_t documents = 1;
    bool truncated = false;
    std::optional<int> rank, worldSize;
    std::string host; // machine that it ran on, "" = unknown
    RankAlignment alignment;
    std::string label; // what to call it: "rank 1", or the file's name
    std::vector<DeviceProperties> devices;
    std::map<std::string, std::string> config; // baseline record: knobs (CLI.md names), versions, command line, …
    std::string metadataJson; // everything else that the file said about itself, as JSON
    CaptureFacts capture;
};

// Of the whole trace.
struct LinkCounts
{
    std::uint64_t linked = 0, unlinked = 0, orphans = 0, launchesWithoutWork = 0, clockSkew = 0;
};

// What a call did with a CUDA event (see eventWaits()).
struct CudaEventUse
{
    enum class Kind : std::uint8_t { Recorded, AwaitedByStream };
    SourceId source;
    std::uint64_t correlation = 0; // of the call
    std::uint32_t event = 0; // unique on the device while the event lives
    int device = 0;
    std::int64_t stream = 0;
    Kind kind = Kind::Recorded;
};

// A link that the file states between two events: forward → backward.
struct ForwardBackward
{
    EventId forward, backward;
};

class Trace
{
public:
    StringPool strings;
    EventColumns events;
    std::vector<Lane> lanes;
    std::vector<Source> sources;
    std::vector<CounterTrack> counters;
    std::vector<MemoryTrack> memory;
    std::vector<Mark> marks; // in time order
    Column<KernelDetail> kernels;
    Column<CopyDetail> copies;
    Column<OpDetail> ops;
    Column<CollectiveDetail> collectives;
    std::vector<std::pair<EventId, std::uint32_t>> collectiveOf; // sorted by event: event → collectives
    std::vector<ForwardBackward> forwardBackward; // sorted by forward
    std::vector<CudaEventUse> eventUses; // in file order
    std::vector<EventId> deviceByLaunch; // all linked device records, sorted by (launch, start): see deviceRecordsOf
    ImportReport report;
    LinkCounts links;

    std::optional<std::int64_t> baseUnixNs; // wall-clock time of 0
    std::int64_t spanBegin = 0, spanEnd = 0; // of all valid events

    [[nodiscard]] std::string_view name(EventId e) const { return strings.view(events.name[e.value]); }
    [[nodiscard]] std::int64_t start(EventId e) const { return events.start[e.value]; }
    [[nodiscard]] std::int64_t end(EventId e) const { return events.start[e.value] + events.duration[e.value]; }
    [[nodiscard]] std::int64_t duration(EventId e) const { return events.duration[e.value]; }
    [[nodiscard]] EventKind kind(EventId e) const { return events.kind[e.value]; }
    [[nodiscard]] bool hasFlag(EventId e, std::uint8_t flag) const { return (events.flags[e.value] & flag) != 0; }
    [[nodiscard]] const Lane &laneOf(EventId e) const { return lanes[events.lane[e.value].value]; }

    // nullptr where the trace says nothing.
    [[nodiscard]] const KernelDetail *kernel(EventId e) const;
    [[nodiscard]] const CopyDetail *copy(EventId e) const; // copies and memsets
    [[nodiscard]] const OpDetail *op(EventId e) const; // operators and ranges
    [[nodiscard]] const CollectiveDetail *collective(EventId e) const;

    // Device records that an API call launched, by start. O(log n).
    [[nodiscard]] std::span<const EventId> deviceRecordsOf(EventId apiCall) const;
    // Events of a lane that touch [from, to): a range of EventIds, of which a few may end before `from`. O(log n).
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> visible(const Lane &lane, std::int64_t from,
                                                                  std::int64_t to) const;
    // The event's own arguments as the file has them, "" where there are none. Reads the file again: not for loops.
    [[nodiscard]] std::string argsText(EventId e) const;
};

using TracePtr = std::shared_ptr<const Trace>;

} // namespace tuneline::analysis
