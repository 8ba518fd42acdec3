// SPDX-License-Identifier: MIT
// All that the agent knows about CUPTI's binary interface: numbers, so that no CUDA header is needed and one agent
// reads every libcupti from CUDA 11.0 to 13.0. CUPTI always writes its newest struct of a family; the families share
// the prefixes below (CAPTURE.md section 3.4; each offset was checked with offsetof against CUDA 13.0's
// cupti_activity.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tuneline::agent::cupti {

// CUptiResult
inline constexpr int kSuccess = 0;
inline constexpr int kNotInitialized = 15; // also: the driver is older than this CUPTI can use
inline constexpr int kMultipleSubscribers = 39;

// CUpti_ActivityKind
enum class Kind : std::uint32_t {
    Memcpy = 1,
    Memset = 2,
    SerialKernel = 3, // never enabled: it serialises all kernels
    Driver = 4,
    Runtime = 5,
    ConcurrentKernel = 10,
    Overhead = 17,
    MemcpyPeer = 22,
    CudaEvent = 36,
    Synchronization = 38,
    Memory2 = 49, // from CUDA 11.2
    GraphTrace = 51,
    Jit = 52, // from CUDA 12.2
};

inline constexpr std::uint32_t kAttributeZeroedBuffer = 5; // CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, a uint8_t
inline constexpr std::uint32_t kAttributePerThreadBuffer = 9; // CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, same
inline constexpr std::uint32_t kThreadIdSystem = 1; // CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM: gettid()
inline constexpr std::uint32_t kFlushForced = 1; // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
inline constexpr std::uint32_t kDomainDriver = 1; // CUpti_CallbackDomain
inline constexpr std::uint32_t kDomainRuntime = 2;
inline constexpr std::uint32_t kObjectThread = 2; // CUPTI_ACTIVITY_OBJECT_THREAD

// What cuptiGetVersion says: 13 to 28 up to CUDA 12.9, then xxyyzz.
inline constexpr std::uint32_t kVersion11_0 = 13; // graphNodeId
inline constexpr std::uint32_t kVersion11_1 = 14; // graphId
inline constexpr std::uint32_t kVersion11_2 = 15;
inline constexpr std::uint32_t kVersion12_3 = 21; // buffers per thread
inline constexpr std::uint32_t kVersion12_4 = 22; // Jit2 with the thread
inline constexpr std::uint32_t kVersion12_9 = 27; // a null buffer no longer crashes CUPTI
inline constexpr std::uint32_t kVersion13_0 = 130000; // cuptiSubscribe_v2
inline constexpr std::uint32_t kVersion13_3 = 130300; // from here v2 subscribers must not make v1 calls

// CUpti_SubscriberParams of 13.0
struct SubscriberParams
{
    std::size_t structSize = sizeof(SubscriberParams);
    const char *subscriberName = nullptr;
    char *oldSubscriberName = nullptr;
    std::size_t oldSubscriberSize = 0;
};
static_assert(sizeof(SubscriberParams) == 32);

// A field of a record. Records are 8-byte aligned, but this is free and needs no struct.
template <typename T> T field(const void *record, std::size_t offset) noexcept
{
    T value;
    std::memcpy(&value, static_cast<const std::byte *>(record) + offset, sizeof value);
    return value;
}

// Offsets, by family. Every record begins with u32 kind.
namespace kernel { // CUpti_ActivityKernel4 … 10
inline constexpr std::size_t kRegisters = 6; // u16
inline constexpr std::size_t kStart = 16, kEnd = 24;
inline constexpr std::size_t kDevice = 40, kContext = 44, kStream = 48;
inline constexpr std::size_t kGrid = 52, kBlock = 64; // 3 × i32
inline constexpr std::size_t kStaticShared = 76, kDynamicShared = 80; // i32
inline constexpr std::size_t kCorrelation = 92;
inline constexpr std::size_t kName = 104; // const char *
inline constexpr std::size_t kGraphNode = 144; // u64, Kernel5
inline constexpr std::size_t kGraph = 156; // u32, Kernel5, filled from 11.1
} // namespace kernel

namespace memcpy { // CUpti_ActivityMemcpy … 6, and the first part of MemcpyPtoP
inline constexpr std::size_t kCopyKind = 4, kSourceKind = 5, kDestinationKind = 6, kFlags = 7; // u8
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24; // u64
inline constexpr std::size_t kDevice = 32, kContext = 36, kStream = 40;
inline constexpr std::size_t kCorrelation = 44;
inline constexpr std::size_t kGraphNode = 64; // u64, Memcpy3
} // namespace memcpy

namespace peercopy { // CUpti_ActivityMemcpyPtoP … 4, where it differs from Memcpy
inline constexpr std::size_t kDestinationDevice = 52;
inline constexpr std::size_t kCorrelation = 60;
inline constexpr std::size_t kGraphNode = 72;
} // namespace peercopy

namespace memset { // CUpti_ActivityMemset … 4
inline constexpr std::size_t kValue = 4;
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24;
inline constexpr std::size_t kDevice = 32, kContext = 36, kStream = 40, kCorrelation = 44;
inline constexpr std::size_t kMemoryKind = 50; // u16
inline constexpr std::size_t kGraphNode = 64; // u64, Memset2
} // namespace memset

namespace api { // CUpti_ActivityAPI
inline constexpr std::size_t kCallback = 4, kStart = 8, kEnd = 16, kThread = 28, kCorrelation = 32, kResult = 36;
} // namespace api

namespace synchronization { // CUpti_ActivitySynchronization, 2
inline constexpr std::size_t kType = 4, kStart = 8, kEnd = 16, kCorrelation = 24, kContext = 28, kStream = 32,
                             kEvent = 36;
} // namespace synchronization

namespace overhead { // CUpti_ActivityOverhead … 3
inline constexpr std::size_t kOverheadKind = 4, kObjectKind = 8, kObjectThread = 16, kStart = 24, kEnd = 32;
} // namespace overhead

namespace event { // CUpti_ActivityCudaEvent, 2
inline constexpr std::size_t kCorrelation = 4, kContext = 8, kStream = 12, kEvent = 16;
} // namespace event

namespace memory { // CUpti_ActivityMemory2 … 4
inline constexpr std::size_t kOperation = 4, kMemoryKind = 8, kCorrelation = 12, kAddress = 16, kBytes = 24,
                             kTimestamp = 32, kDevice = 52;
} // namespace memory

namespace graph { // CUpti_ActivityGraphTrace, 2
inline constexpr std::size_t kCorrelation = 4, kStart = 8, kEnd = 16, kDevice = 24, kGraph = 28, kStream = 36;
} // namespace graph

namespace jit { // CUpti_ActivityJit, 2
inline constexpr std::size_t kEntry = 4, kOperation = 8, kDevice = 12, kStart = 16, kEnd = 24;
inline constexpr std::size_t kThread = 68; // Jit2
} // namespace jit

} // namespace tuneline::agent::cupti
