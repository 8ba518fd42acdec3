// SPDX-License-Identifier: MIT
// The hot path: what runs on the host's threads for every operator, mark and allocation. No lock, no allocation, no
// system call (CAPTURE.md section 7), except at a thread's first event and at a name that the thread meets for the
// first time.
#pragma once

#include "capture/agent/threadstate.h"
#include "capture/format/records.h"

#include <cstddef>
#include <cstdint>

namespace tuneline::agent {

// An operator begins on this thread. key finds it again at its end. Its id, or 0 if it isn't recorded.
std::uint64_t beginOp(const void *key, const char *name, std::uint32_t scope) noexcept;
void endOp(const void *key) noexcept;

struct OpTexts
{
    const char *shapes = nullptr;
    std::size_t shapesLength = 0;
    const char *types = nullptr;
    std::size_t typesLength = 0;
};
void addOpDetail(const format::OpDetailRecord &record, const OpTexts &texts) noexcept;

// A mark for the file, whether recording or not: the caller decides.
void pushMark(ThreadState &state, format::MarkKind kind, std::int64_t time, const char *name, const char *text,
              double value) noexcept;

// What is still open on a thread, as records without an end. Writer thread, when no operator can begin any more.
template <typename Take> void takeOpenOps(ThreadState &state, Take &&take)
{
    const std::uint32_t depth = state.depth.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < depth && i < ThreadState::kMaxDepth; ++i) {
        const OpenOp &op = state.open[i];
        format::OpRecord record;
        record.start = op.start.load(std::memory_order_relaxed);
        record.name = op.name.load(std::memory_order_relaxed);
        record.thread = state.tid;
        record.depth = i;
        record.scope = static_cast<format::OpScope>(op.scope.load(std::memory_order_relaxed));
        record.id = op.id.load(std::memory_order_relaxed);
        take(record);
    }
}

} // namespace tuneline::agent
