// SPDX-License-Identifier: MIT
// The fixed-size records of a capture file. Plain data, 8-byte aligned, little-endian; a later version may only append
// fields to a record (RecordBlock::recordBytes tells a reader how many it has). Times are int64 nanoseconds on the
// clock that is named at each record: Host is CLOCK_MONOTONIC, Device is CUPTI's (CLOCK_REALTIME on Linux); ClockRecord
// ties the two together. String ids refer to Strings frames; 0 is "no string". Thread ids are gettid().
#pragma once

#include <cstdint>

namespace tuneline::format {

enum class RecordKind : std::uint32_t {
    Op = 1, // OpRecord
    OpDetail = 2, // OpDetailRecord, from the torch bridge
    Mark = 3, // MarkRecord
    Thread = 4, // ThreadRecord
    Clock = 5, // ClockRecord
    StepTime = 6, // StepTimeRecord: plain step times, nothing else recorded
    Memory = 7, // MemoryRecord: a tensor allocator's report
    Counter = 8, // CounterRecord: NVML, /proc, …
    Kernel = 16, // KernelRecord
    Copy = 17, // CopyRecord
    Memset = 18, // MemsetRecord
    Api = 19, // ApiRecord: runtime or driver call
    Sync = 20, // SyncRecord
    Overhead = 21, // OverheadRecord
    DeviceMemory = 22, // DeviceMemoryRecord: cudaMalloc, cudaFree, pools
    Event = 23, // EventRecord
    Jit = 24, // JitRecord
    Graph = 25, // GraphRecord: a whole graph launch, if that was asked for
};

// First bytes of a Records frame.
struct RecordBlock
{
    RecordKind kind{};
    std::uint32_t recordBytes = 0;
    std::uint32_t count = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(RecordBlock) == 16);

inline constexpr std::int64_t kOpen = -1; // an end that was never seen: the operation was still running

// at::RecordScope, as far as we observe it (same values in LibTorch 1.13 and 2.x).
enum class OpScope : std::uint8_t { Function = 0, Backward = 1, User = 7 };

// An operator, an autograd node or a user scope. Host clock.
struct OpRecord
{
    std::int64_t start = 0;
    std::int64_t end = kOpen;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    std::uint32_t depth = 0; // nesting on this thread when it began, 0 = outermost observed
    OpScope scope = OpScope::Function;
    std::uint8_t flags = 0; // bit 0: began before the window (start is the window's start)
    std::uint16_t reserved = 0;
    std::uint64_t id = 0; // per process, unique; refers OpDetailRecord here. 0: none
};
static_assert(sizeof(OpRecord) == 40);

// What the torch bridge adds to an operator.
struct OpDetailRecord
{
    std::uint64_t op = 0; // OpRecord::id
    std::int64_t sequence = -1; // autograd sequence number, -1 = none
    std::uint64_t forwardThread = 0; // logical id of the thread that ran the forward pass
    std::uint64_t logicalThread = 0; // at::RecordFunction::currentThreadId
    std::uint32_t shapes = 0; // string: [[8,3,224,224],[64,3,7,7],[]]
    std::uint32_t types = 0; // string: ["float","float",""]
};
static_assert(sizeof(OpDetailRecord) == 40);

enum class MarkKind : std::uint32_t {
    Step = 1, // a step begins here and the last one of this thread ends; value = step number
    StepEnd = 2, // the last step ends without a new one beginning
    ScopeBegin = 3, // name
    ScopeEnd = 4,
    Units = 5, // samples or tokens of this step
    ValidUnits = 6, // of those, not padding
    Loss = 7,
    GradientNorm = 8,
    SkippedStep = 9, // the loss scaler skipped the update
    CorruptedSamples = 10,
    Metric = 11, // name, value: an evaluation metric
    Config = 12, // name, text: a knob or fact of the run
    WindowBegin = 13, // the capture window, as the agent saw it
    WindowEnd = 14,
};

// Something that the program said about itself (tuneline/marks.h). Host clock.
struct MarkRecord
{
    std::int64_t time = 0;
    MarkKind kind{};
    std::uint32_t name = 0;
    std::uint32_t text = 0;
    std::uint32_t thread = 0;
    double value = 0;
};
static_assert(sizeof(MarkRecord) == 32);

struct ThreadRecord
{
    std::uint32_t thread = 0;
    std::uint32_t name = 0;
};
static_assert(sizeof(ThreadRecord) == 8);

// One reading of all clocks, as close together as could be had.
struct ClockRecord
{
    std::int64_t realtimeBefore = 0;
    std::int64_t monotonic = 0;
    std::int64_t realtimeAfter = 0;
    std::int64_t cupti = 0; // cuptiGetTimestamp inside the bracket; 0 without CUPTI
};
static_assert(sizeof(ClockRecord) == 32);

enum class StepPhase : std::uint32_t { Before = 0, Inside = 1, After = 2 };

// A step as the agent timed it, with or without a recording going on: their ratio is the capture slow-down. Host clock.
struct StepTimeRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    StepPhase phase = StepPhase::Before;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(StepTimeRecord) == 24);

// c10::reportMemoryUsageToProfiler. Host clock.
struct MemoryRecord
{
    std::int64_t time = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0; // negative: freed
    std::int64_t allocated = -1; // total of this device after it, -1 = unknown
    std::int64_t reserved = -1;
    std::uint32_t thread = 0;
    std::int16_t deviceType = 0; // c10::DeviceType: 0 CPU, 1 CUDA
    std::int16_t deviceIndex = -1;
};
static_assert(sizeof(MemoryRecord) == 48);

// A sampled figure of the machine. Host clock.
struct CounterRecord
{
    std::int64_t time = 0;
    std::uint32_t name = 0; // "gpu0/clock/sm_mhz", "cpu/used_share", …
    std::uint32_t reserved = 0;
    double value = 0;
};
static_assert(sizeof(CounterRecord) == 24);

// A kernel. Device clock.
struct KernelRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t name = 0; // mangled
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::int32_t grid[3] = {};
    std::int32_t block[3] = {};
    std::uint32_t registers = 0;
    std::uint32_t staticShared = 0;
    std::uint32_t dynamicShared = 0;
    std::uint32_t graph = 0;
    std::uint32_t reserved = 0;
    std::uint64_t graphNode = 0;
};
static_assert(sizeof(KernelRecord) == 88);

// A copy between memories. Device clock.
struct CopyRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint8_t copyKind = 0; // CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, …
    std::uint8_t sourceKind = 0; // CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device, …
    std::uint8_t destinationKind = 0;
    std::uint8_t flags = 0; // bit 0: asynchronous
    std::uint32_t peerDevice = 0; // of a peer copy: the destination
    std::uint64_t graphNode = 0;
};
static_assert(sizeof(CopyRecord) == 56);

struct MemsetRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t value = 0;
    std::uint32_t memoryKind = 0;
    std::uint64_t graphNode = 0;
};
static_assert(sizeof(MemsetRecord) == 56);

// A runtime or driver call. Device clock.
struct ApiRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    std::uint32_t correlation = 0;
    std::uint32_t callback = 0; // cbid
    std::uint32_t domain = 0; // 0 runtime, 1 driver
    std::uint32_t result = 0;
};
static_assert(sizeof(ApiRecord) == 40);

// A wait. Device clock.
struct SyncRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t type = 0; // CUpti_ActivitySynchronizationType: 1 event, 2 stream waits for event, 3 stream, 4 context
    std::uint32_t correlation = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t event = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(SyncRecord) == 40);

// CUPTI's own cost, or a queue that was full. Device clock.
struct OverheadRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t kind = 0; // CUpti_ActivityOverheadKind
    std::uint32_t thread = 0;
};
static_assert(sizeof(OverheadRecord) == 24);

// cudaMalloc, cudaFree and their pool forms. Device clock.
struct DeviceMemoryRecord
{
    std::int64_t time = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    std::uint32_t correlation = 0;
    std::uint32_t operation = 0; // 1 allocated, 2 released
    std::uint32_t memoryKind = 0;
};
static_assert(sizeof(DeviceMemoryRecord) == 40);

// cudaEventRecord.
struct EventRecord
{
    std::uint32_t correlation = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t event = 0;
};
static_assert(sizeof(EventRecord) == 16);

// Compilation or module loading. Device clock.
struct JitRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t entry = 0;
    std::uint32_t operation = 0;
    std::uint32_t device = 0;
    std::uint32_t thread = 0;
};
static_assert(sizeof(JitRecord) == 32);

// A whole graph launch. Device clock.
struct GraphRecord
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t graph = 0;
};
static_assert(sizeof(GraphRecord) == 32);

} // namespace tuneline::format
