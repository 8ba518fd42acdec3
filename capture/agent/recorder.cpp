// SPDX-License-Identifier: MIT
#include "capture/agent/recorder.h"

#include "capture/agent/clock.h"

#include <cstring>

namespace tuneline::agent {

namespace {

void bump(std::atomic<std::uint64_t> &counter) noexcept
{
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// The observer is on, the window isn't open yet.
void prepareThread() noexcept
{
    const std::uint32_t epoch = g_hot.epoch.load(std::memory_order_relaxed);
    ThreadState *state = ThreadState::current();
    if (state && state->epoch != epoch)
        state->prepareForWindow(epoch);
}

void closeOp(ThreadState &state, std::uint32_t at, std::int64_t end) noexcept
{
    const OpenOp &op = state.open[at];
    format::OpRecord record;
    record.start = op.start.load(std::memory_order_relaxed);
    record.end = end;
    record.name = op.name.load(std::memory_order_relaxed);
    record.thread = state.tid;
    record.depth = at;
    record.scope = static_cast<format::OpScope>(op.scope.load(std::memory_order_relaxed));
    record.id = op.id.load(std::memory_order_relaxed);
    state.push(format::RecordKind::Op, record);
}

} // namespace

std::uint64_t beginOp(const void *key, const char *name, std::uint32_t scope) noexcept
{
    if (!g_hot.recording.load(std::memory_order_acquire)) {
        if (g_hot.armed.load(std::memory_order_relaxed))
            prepareThread();
        return 0;
    }
    ThreadState *state = ThreadState::current();
    if (!state)
        return 0;
    const std::uint32_t epoch = g_hot.epoch.load(std::memory_order_relaxed);
    if (state->epoch != epoch)
        state->enterEpoch(epoch);
    const std::uint32_t depth = state->depth.load(std::memory_order_relaxed);
    if (depth >= ThreadState::kMaxDepth) {
        bump(state->tooDeep);
        return 0;
    }
    OpenOp &op = state->open[depth];
    const std::uint64_t id = (static_cast<std::uint64_t>(state->tid) << 40U) | (++state->opsBegun & 0xFF'FFFF'FFFFU);
    op.key.store(key, std::memory_order_relaxed);
    op.name.store(name ? state->nameId(name) : 0, std::memory_order_relaxed);
    op.scope.store(scope, std::memory_order_relaxed);
    op.id.store(id, std::memory_order_relaxed);
    op.start.store(hostNow(), std::memory_order_relaxed);
    state->depth.store(depth + 1, std::memory_order_release);
    return id;
}

void endOp(const void *key) noexcept
{
    ThreadState *state = ThreadState::existing();
    // Ends are taken as long as the capture lasts, also after the window: what began inside keeps its true length.
    if (!state || !g_hot.armed.load(std::memory_order_relaxed)
        || state->epoch != g_hot.epoch.load(std::memory_order_relaxed))
        return;
    const std::int64_t end = hostNow();
    std::uint32_t depth = state->depth.load(std::memory_order_relaxed);
    std::uint32_t at = depth;
    while (at > 0 && state->open[at - 1].key.load(std::memory_order_relaxed) != key)
        --at;
    if (at == 0) // began before the window, on another thread, or was too deep
        return;
    // What began inside it and isn't over is asynchronous: its end, if any, comes on another thread.
    for (; depth > at; --depth)
        closeOp(*state, depth - 1, format::kOpen);
    closeOp(*state, at - 1, end);
    state->depth.store(at - 1, std::memory_order_release);
}

void addOpDetail(const format::OpDetailRecord &record, const OpTexts &texts) noexcept
{
    ThreadState *state = ThreadState::existing();
    if (!state || record.op == 0 || !g_hot.recording.load(std::memory_order_relaxed))
        return;
    format::OpDetailRecord full = record;
    if (texts.shapes)
        full.shapes = state->nameId({texts.shapes, texts.shapesLength});
    if (texts.types)
        full.types = state->nameId({texts.types, texts.typesLength});
    state->push(format::RecordKind::OpDetail, full);
}

void pushMark(ThreadState &state, format::MarkKind kind, std::int64_t time, const char *name, const char *text,
              double value) noexcept
{
    format::MarkRecord record;
    record.time = time;
    record.kind = kind;
    record.name = name ? state.nameId(name) : 0;
    record.text = text ? state.nameId(text) : 0;
    record.thread = state.tid;
    record.value = value;
    state.push(format::RecordKind::Mark, record);
}

} // namespace tuneline::agent
