// SPDX-License-Identifier: MIT
// A stand-in for libcupti: subscriptions, activity kinds, buffers and a thread that makes records, in the record
// layouts of the version it plays. Structures are written down here a second time, from NVIDIA's documentation, so that
// a wrong offset in the agent shows. Over 600 lines: it stands in for one library, and most of it is those structures.
// Environment:
//   FAKE_CUPTI_VERSION   what cuptiGetVersion says (12 … 28, 130001, …); decides which struct of each family is written
//   FAKE_CUPTI_ERROR     subscribing fails with this result (15: the driver is too old for this CUPTI)
//   FAKE_CUPTI_RATE      turns of a training loop per millisecond, 1 if left out
//   FAKE_CUPTI_HOLDER    another tool has CUPTI: subscribing fails with 39, and v2 names this holder
//   FAKE_CUPTI_CLOCK     records are stamped with the processor's counter, as Kineto makes CUPTI do
//   FAKE_CUPTI_SLOW_MS   each flush takes this long
//   FAKE_CUPTI_LOG       file: one line per call that a test wants to see
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

// The newest struct of each family; older versions are its beginnings.
struct __attribute__((packed, aligned(8))) Kernel
{
    std::uint32_t kind;
    std::uint8_t cacheConfig;
    std::uint8_t sharedMemoryConfig;
    std::uint16_t registersPerThread;
    std::uint32_t partitionedCacheRequested, partitionedCacheExecuted;
    std::uint64_t start, end, completed;
    std::uint32_t deviceId, contextId, streamId;
    std::int32_t gridX, gridY, gridZ, blockX, blockY, blockZ, staticShared, dynamicShared;
    std::uint32_t localPerThread, localTotal, correlationId;
    std::int64_t gridId;
    const char *name;
    void *reserved0;
    std::uint64_t queued, submitted;
    std::uint8_t launchType, isSharedRequested, padding, sharedCarveout;
    std::uint32_t sharedExecuted;
    std::uint64_t graphNodeId; // Kernel5
    std::uint32_t shmemLimit, graphId;
    void *accessPolicyWindow; // Kernel6
    std::uint32_t channelId, channelType; // Kernel7
    std::uint32_t clusterX, clusterY, clusterZ, clusterPolicy; // Kernel8
    std::uint64_t localTotalV2;
    std::uint32_t maxPotentialClusterSize, maxActiveClusters; // Kernel9
    std::uint8_t isDeviceLaunched; // Kernel10
    std::uint8_t padding2[7];
};
static_assert(sizeof(Kernel) == 216);

struct __attribute__((packed, aligned(8))) Memcpy
{
    std::uint32_t kind;
    std::uint8_t copyKind, srcKind, dstKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, padding;
    void *reserved0;
    std::uint64_t graphNodeId; // Memcpy3
    std::uint32_t graphId, padding2; // Memcpy4
    std::uint32_t channelId, channelType; // Memcpy5
    std::uint8_t rest[8]; // Memcpy6
};

struct __attribute__((packed, aligned(8))) PeerCopy
{
    std::uint32_t kind;
    std::uint8_t copyKind, srcKind, dstKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
    void *reserved0;
    std::uint64_t graphNodeId;
    std::uint32_t graphId, padding;
};

struct __attribute__((packed, aligned(8))) Memset
{
    std::uint32_t kind, value;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId;
    std::uint16_t flags, memoryKind;
    std::uint32_t padding;
    void *reserved0;
    std::uint64_t graphNodeId;
    std::uint32_t graphId, padding2;
};

struct __attribute__((packed, aligned(8))) Api
{
    std::uint32_t kind, cbid;
    std::uint64_t start, end;
    std::uint32_t processId, threadId, correlationId, returnValue;
};

struct __attribute__((packed, aligned(8))) Synchronization
{
    std::uint32_t kind, type;
    std::uint64_t start, end;
    std::uint32_t correlationId, contextId, streamId, cudaEventId;
    std::uint64_t cudaEventSyncId; // Synchronization2
    std::uint32_t returnValue, padding;
};

struct __attribute__((packed, aligned(8))) Memory
{
    std::uint32_t kind, operation, memoryKind, correlationId;
    std::uint64_t address, bytes, timestamp, pc;
    std::uint32_t processId, deviceId, contextId, streamId;
    const char *name;
    std::uint32_t isAsync, padding;
    std::uint8_t pool[40];
    const char *source; // Memory4
};

struct __attribute__((packed, aligned(8))) Overhead
{
    std::uint32_t kind, overheadKind, objectKind, processId, threadId, padding;
    std::uint64_t start, end;
    std::uint32_t correlationId, reserved; // Overhead2
    void *data; // Overhead3
};

struct __attribute__((packed, aligned(8))) CudaEvent
{
    std::uint32_t kind, correlationId, contextId, streamId, eventId, padding;
    std::uint32_t deviceId, padding2; // CudaEvent2
    std::uint64_t syncId, deviceTimestamp, cudaEventSyncId;
};

struct __attribute__((packed, aligned(8))) GraphTrace
{
    std::uint32_t kind, correlationId;
    std::uint64_t start, end;
    std::uint32_t deviceId, graphId, contextId, streamId;
    void *reserved;
    std::uint32_t endDeviceId, endContextId; // GraphTrace2
};
static_assert(sizeof(Overhead) == 56 && sizeof(CudaEvent) == 56 && sizeof(GraphTrace) == 56);

struct __attribute__((packed, aligned(8))) Jit
{
    std::uint32_t kind, entryType, operationType, deviceId;
    std::uint64_t start, end;
    std::uint32_t correlationId, padding;
    std::uint64_t operationCorrelationId, cacheSize;
    const char *cachePath;
    std::uint32_t processId, threadId; // Jit2
};
static_assert(sizeof(Jit) == 72);

enum : std::uint32_t {
    kMemcpy = 1,
    kMemset = 2,
    kDriver = 4,
    kRuntime = 5,
    kKernel = 10,
    kOverhead = 17,
    kPeer = 22,
    kEvent = 36,
    kSync = 38,
    kMemory = 49,
    kGraph = 51,
    kJit = 52
};
constexpr std::size_t kLargest = 256; // room for what later versions append

std::uint32_t version()
{
    static const std::uint32_t number = [] {
        const char *text = std::getenv("FAKE_CUPTI_VERSION");
        return text ? static_cast<std::uint32_t>(std::atoi(text)) : 130001U;
    }();
    return number;
}

std::size_t recordSize(std::uint32_t kind)
{
    const std::uint32_t v = version();
    switch (kind) {
    case kKernel: // 11.0, 11.1, 11.6, 11.8, 12.0, 13.0; Kernel11 of 13.1 is taken to append once more
        return v >= 130100 ? 232
            : v >= 130000  ? 216
            : v >= 19      ? 208
            : v >= 18      ? 200
            : v >= 17      ? 176
            : v >= 14      ? 168
                           : 160;
    case kMemcpy:
        return v >= 26 ? 96 : v >= 17 ? 88 : v >= 14 ? 80 : 72;
    case kPeer:
        return v >= 17 ? 96 : v >= 14 ? 88 : 80;
    case kMemset:
        return v >= 17 ? 88 : v >= 14 ? 80 : 72;
    case kRuntime:
    case kDriver:
        return 40;
    case kSync:
        return v >= 26 ? 56 : 40;
    case kMemory:
        return v >= 26 ? 128 : 120;
    case kOverhead:
        return v >= 26 ? 56 : v >= 22 ? 48 : 40;
    case kEvent:
        return v >= 130000 ? 56 : 24;
    case kGraph:
        return v >= 22 ? 56 : v >= 17 ? 48 : 0;
    case kJit:
        return v >= 22 ? 72 : v >= 21 ? 64 : 0;
    default:
        return 0;
    }
}

void note(const char *text)
{
    const char *path = std::getenv("FAKE_CUPTI_LOG");
    std::FILE *file = path ? std::fopen(path, "ae") : nullptr;
    if (!file)
        return;
    std::fprintf(file, "%s\n", text);
    std::fclose(file);
}

using Request = void (*)(std::uint8_t **, std::size_t *, std::size_t *);
using Complete = void (*)(void *, std::uint32_t, std::uint8_t *, std::size_t, std::size_t);

std::mutex &g_mutex = *new std::mutex; // leaked, as all that our thread uses while the process exits
Request g_request = nullptr;
Complete g_complete = nullptr;
std::set<std::uint32_t> &g_enabled = *new std::set<std::uint32_t>;
std::set<std::uint32_t> &g_silenced = *new std::set<std::uint32_t>;
std::uint8_t *g_buffer = nullptr;
std::size_t g_size = 0, g_used = 0, g_dropped = 0;
bool g_subscribed = false;
std::uint32_t g_correlation = 0;
std::uint32_t g_thread = 0;

std::uint64_t now()
{
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

// What records are stamped with: CUPTI's own clock, or what a callback of somebody else gives.
std::uint64_t recordNow()
{
#if defined(__x86_64__)
    static const bool counter = std::getenv("FAKE_CUPTI_CLOCK") != nullptr;
    if (counter)
        return __rdtsc();
#endif
    return now();
}

// Hands the buffer back. The lock is held, as CUPTI holds its own.
void completeBuffer()
{
    if (g_buffer && g_complete)
        g_complete(nullptr, 0, g_buffer, g_size, g_used);
    g_buffer = nullptr;
    g_used = 0;
}

template <typename Record> void emit(Record record)
{
    const std::uint32_t kind = record.kind;
    const std::size_t bytes = recordSize(kind);
    if (g_enabled.count(kind) == 0)
        return;
    if (g_buffer && g_used + bytes > g_size)
        completeBuffer();
    if (!g_buffer && g_request) {
        std::size_t most = 0;
        g_request(&g_buffer, &g_size, &most);
        if (!g_buffer && version() < 27)
            std::abort(); // as CUPTI before 12.9 did
    }
    if (!g_buffer) {
        ++g_dropped;
        return;
    }
    Record whole = record;
    std::array<std::uint8_t, kLargest> image; // what we don't know is no zero either
    image.fill(0xEE);
    std::memcpy(image.data(), &whole, sizeof whole);
    std::memcpy(g_buffer + g_used, image.data(), bytes);
    g_used += bytes;
}

Api apiRecord(std::uint32_t kind, std::uint32_t cbid, std::uint64_t start, std::uint64_t length)
{
    Api api{};
    api.kind = kind;
    api.cbid = cbid;
    api.start = start;
    api.end = start + length;
    api.processId = static_cast<std::uint32_t>(getpid());
    api.threadId = g_thread;
    api.correlationId = ++g_correlation;
    return api;
}

void rarerRecords(std::uint64_t t)
{
    Overhead overhead{};
    overhead.kind = kOverhead;
    overhead.overheadKind = 0x60000; // the command buffer was full
    overhead.objectKind = 2; // a thread
    overhead.processId = static_cast<std::uint32_t>(getpid());
    overhead.threadId = g_thread;
    overhead.start = t + 310'000;
    overhead.end = t + 312'000;
    emit(overhead);
    CudaEvent event{};
    event.kind = kEvent;
    event.correlationId = g_correlation;
    event.contextId = 2, event.streamId = 7, event.eventId = 4, event.deviceId = 1;
    emit(event);
    Jit jit{};
    jit.kind = kJit;
    jit.entryType = 1, jit.operationType = 2, jit.deviceId = 1;
    jit.start = t + 320'000;
    jit.end = t + 330'000;
    jit.threadId = g_thread;
    emit(jit);
}

// One turn of a training loop: three noisy calls, a launch, a copy, a memset, an allocation, a wait.
void turn(std::uint64_t n)
{
    const std::uint64_t t = recordNow() - 400'000;
    for (std::uint64_t i = 0; i < 3; ++i) {
        if (g_silenced.count(17) == 0)
            emit(apiRecord(kRuntime, 17, t + i * 1000, 500)); // cudaGetDevice
    }
    const Api launch = apiRecord(kRuntime, 211, t + 10'000, 5'000);
    emit(launch);
    Kernel kernel{};
    kernel.kind = kKernel;
    kernel.registersPerThread = 40;
    kernel.start = t + 20'000;
    kernel.end = t + 120'000;
    kernel.deviceId = 1;
    kernel.contextId = 2;
    kernel.streamId = 7;
    kernel.gridX = 11, kernel.gridY = 12, kernel.gridZ = 13, kernel.blockX = 128, kernel.blockY = 2, kernel.blockZ = 1;
    kernel.staticShared = 1024;
    kernel.dynamicShared = 2048;
    kernel.correlationId = launch.correlationId;
    kernel.name = n % 2 == 0 ? "_Z4gemmPf" : "_Z4reluPf";
    kernel.graphNodeId = 0x100000000ULL + n;
    kernel.graphId = 5;
    if (g_enabled.count(kGraph) == 0)
        emit(kernel);
    GraphTrace graph{};
    graph.kind = kGraph;
    graph.correlationId = launch.correlationId;
    graph.start = t + 20'000;
    graph.end = t + 120'000;
    graph.deviceId = 1, graph.graphId = 5, graph.contextId = 2, graph.streamId = 7;
    emit(graph);
    const Api copyCall = apiRecord(kRuntime, 41, t + 130'000, 3'000);
    emit(copyCall);
    Memcpy copy{};
    copy.kind = kMemcpy;
    copy.copyKind = 1, copy.srcKind = 1, copy.dstKind = 3, copy.flags = 1;
    copy.bytes = 1 << 20;
    copy.start = t + 140'000;
    copy.end = t + 190'000;
    copy.deviceId = 1, copy.contextId = 2, copy.streamId = 7;
    copy.correlationId = copyCall.correlationId;
    copy.graphNodeId = 77;
    emit(copy);
    PeerCopy peer{};
    peer.kind = kPeer;
    peer.copyKind = 10, peer.srcKind = 3, peer.dstKind = 3;
    peer.bytes = 4096;
    peer.start = t + 195'000;
    peer.end = t + 198'000;
    peer.deviceId = 1, peer.contextId = 2, peer.streamId = 8, peer.srcDeviceId = 1, peer.dstDeviceId = 3;
    peer.correlationId = copyCall.correlationId;
    emit(peer);
    Memset memset{};
    memset.kind = kMemset;
    memset.value = 9;
    memset.bytes = 512;
    memset.start = t + 200'000;
    memset.end = t + 210'000;
    memset.deviceId = 1, memset.contextId = 2, memset.streamId = 7;
    memset.memoryKind = 3;
    memset.correlationId = copyCall.correlationId;
    emit(memset);
    Memory memory{};
    memory.kind = kMemory;
    memory.operation = 1, memory.memoryKind = 3;
    memory.address = 0x7000'0000'0000ULL;
    memory.bytes = 4096;
    memory.timestamp = t + 220'000;
    memory.deviceId = 1;
    memory.correlationId = copyCall.correlationId;
    emit(memory);
    const Api driverLaunch = apiRecord(kDriver, 307, t + 230'000, 2'000); // cuLaunchKernel
    emit(driverLaunch);
    kernel.start = graph.start = t + 235'000;
    kernel.end = graph.end = t + 335'000;
    kernel.correlationId = graph.correlationId = driverLaunch.correlationId;
    if (g_enabled.count(kGraph) == 0)
        emit(kernel);
    emit(graph);
    Synchronization sync{};
    sync.kind = kSync;
    sync.type = 3;
    sync.start = t + 240'000;
    sync.end = t + 300'000;
    sync.correlationId = g_correlation;
    sync.contextId = 2, sync.streamId = 7, sync.cudaEventId = 4;
    emit(sync);
    rarerRecords(t);
}

void makeRecords()
{
    for (std::uint64_t n = 0;; ++n) {
        {
            const std::lock_guard lock(g_mutex);
            static const char *const rate = std::getenv("FAKE_CUPTI_RATE");
            for (int i = 0; !g_enabled.empty() && i < (rate ? std::atoi(rate) : 1); ++i)
                turn(n);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuptiGetVersion(std::uint32_t *v)
{
    *v = version();
    return 0;
}

EXPORT int cuptiGetResultString(int result, const char **text)
{
    *text = result == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
        : result == 15   ? "CUPTI_ERROR_NOT_INITIALIZED"
                         : "CUPTI_ERROR_FAKE";
    return 0;
}

EXPORT int cuptiGetTimestamp(std::uint64_t *t)
{
    *t = now();
    return 0;
}

EXPORT int cuptiSubscribe(void **handle, void *, void *)
{
    if (std::getenv("FAKE_CUPTI_HOLDER") || g_subscribed)
        return 39;
    if (const char *error = std::getenv("FAKE_CUPTI_ERROR"))
        return std::atoi(error);
    g_subscribed = true;
    *handle = &g_subscribed;
    note("subscribe");
    return 0;
}

struct SubscriberParams
{
    std::size_t structSize;
    const char *subscriberName;
    char *oldSubscriberName;
    std::size_t oldSubscriberSize;
};

EXPORT int cuptiSubscribe_v2(void **handle, void *callback, void *user, SubscriberParams *params)
{
    const char *holder = std::getenv("FAKE_CUPTI_HOLDER");
    if (holder && params && params->structSize == 32 && params->oldSubscriberName)
        std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", holder);
    note("subscribe_v2");
    return cuptiSubscribe(handle, callback, user);
}

EXPORT int cuptiUnsubscribe(void *)
{
    g_subscribed = false;
    note("unsubscribe");
    return 0;
}

EXPORT int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t cbid, const char **name)
{
    static const char *const kRuntimeNames[] = {"cudaGetDevice_v3020", "cudaLaunchKernel_v7000",
                                                "cudaMemcpyAsync_v3020"};
    *name = nullptr;
    if (domain == 2)
        *name = cbid == 17 ? kRuntimeNames[0]
            : cbid == 211  ? kRuntimeNames[1]
            : cbid == 41   ? kRuntimeNames[2]
                           : "cudaOther_v1";
    else if (domain == 1)
        *name = cbid == 307 ? "cuLaunchKernel" : "cuOther_v2_ptsz";
    if (!*name || cbid == 0 || cbid > 600) {
        *name = nullptr;
        return 1;
    }
    return 0;
}

EXPORT int cuptiActivityRegisterCallbacks(Request request, Complete complete)
{
    const std::lock_guard lock(g_mutex);
    static const bool started = [] {
        std::thread(makeRecords).detach();
        return true;
    }();
    (void)started;
    g_request = request;
    g_complete = complete;
    note("register");
    return 0;
}

EXPORT int cuptiActivityEnable(std::uint32_t kind)
{
    if (recordSize(kind) == 0)
        return 21; // CUPTI_ERROR_INVALID_KIND
    const std::lock_guard lock(g_mutex);
    g_enabled.insert(kind);
    if (kind == kRuntime)
        g_silenced.clear(); // enabling a kind overrides
    note(("enable " + std::to_string(kind)).c_str());
    return 0;
}

EXPORT int cuptiActivityDisable(std::uint32_t kind)
{
    const std::lock_guard lock(g_mutex);
    g_enabled.erase(kind);
    note(("disable " + std::to_string(kind)).c_str());
    return 0;
}

EXPORT int cuptiActivityEnableRuntimeApi(std::uint32_t cbid, std::uint8_t enable)
{
    const std::lock_guard lock(g_mutex);
    if (enable == 0)
        g_silenced.insert(cbid);
    else
        g_silenced.erase(cbid);
    return 0;
}

EXPORT int cuptiActivityEnableDriverApi(std::uint32_t, std::uint8_t)
{
    return 0;
}

EXPORT int cuptiActivityFlushAll(std::uint32_t flag)
{
    if (const char *slow = std::getenv("FAKE_CUPTI_SLOW_MS"))
        std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(slow)));
    const std::lock_guard lock(g_mutex);
    completeBuffer();
    if (flag == 1)
        note("flush forced");
    return 0;
}

EXPORT int cuptiActivityGetNextRecord(std::uint8_t *buffer, std::size_t valid, void **record)
{
    std::uint8_t *next = buffer;
    if (*record) {
        next = static_cast<std::uint8_t *>(*record);
        next += recordSize(*reinterpret_cast<std::uint32_t *>(next));
    }
    if (next >= buffer + valid)
        return 12; // CUPTI_ERROR_MAX_LIMIT_REACHED
    *record = next;
    return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *, std::uint32_t, std::size_t *dropped)
{
    const std::lock_guard lock(g_mutex);
    *dropped = g_dropped;
    g_dropped = 0;
    return 0;
}

EXPORT int cuptiActivitySetAttribute(std::uint32_t, std::size_t *, void *)
{
    return 0;
}

EXPORT int cuptiSetThreadIdType(std::uint32_t type)
{
    // The fake's calls are "made" by the process's first thread.
    g_thread = type == 1 ? static_cast<std::uint32_t>(getpid()) : 0xFFFFFFFFU;
    return 0;
}
