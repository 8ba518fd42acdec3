// SPDX-License-Identifier: MIT
#include "capture/agent/marks.h"

#include "capture/agent/clock.h"
#include "capture/agent/recorder.h"

#include <map>
#include <mutex>
#include <string>

namespace tuneline::agent {

namespace {

std::atomic<bool> g_stepsMarked{false};

struct Facts
{
    static constexpr std::size_t kMax = 256;
    std::mutex mutex;
    std::map<std::string, std::string> values;
};

Facts &facts() noexcept
{
    static Facts &all = *new Facts; // leaked: the program may tell facts while it exits
    return all;
}

void keepFact(const char *name, const char *text) noexcept
{
    if (g_hot.dead.load(std::memory_order_relaxed))
        return; // another thread may have held the lock when this process was forked
    try {
        Facts &all = facts();
        const std::lock_guard lock(all.mutex);
        if (all.values.size() < Facts::kMax || all.values.count(name) != 0)
            all.values[name] = text;
    } catch (...) {
        return; // out of memory: the fact is missing in the file, nothing else
    }
}

} // namespace

bool programMarksSteps() noexcept
{
    return g_stepsMarked.load();
}

bool programTellsFacts() noexcept
{
    try {
        Facts &all = facts();
        const std::lock_guard lock(all.mutex);
        return !all.values.empty();
    } catch (...) {
        return false;
    }
}

void writeConfig(JsonWriter &json)
{
    Facts &all = facts();
    const std::lock_guard lock(all.mutex);
    json.beginObject("config");
    for (const auto &[name, text] : all.values)
        json.text(name, text);
    json.endObject();
}

void onMark(StepTracker &tracker, std::uint32_t kind, const char *name, const char *text, double value) noexcept
{
    const auto mark = static_cast<format::MarkKind>(kind);
    if (mark == format::MarkKind::Step && !g_stepsMarked.load(std::memory_order_relaxed))
        g_stepsMarked.store(true, std::memory_order_relaxed);
    if (mark == format::MarkKind::Config && name && *name && text)
        keepFact(name, text);
    if (!g_hot.armed.load(std::memory_order_relaxed)) [[likely]]
        return;
    if (kind < static_cast<std::uint32_t>(format::MarkKind::Step)
        || kind > static_cast<std::uint32_t>(format::MarkKind::Config))
        return;
    if (mark == format::MarkKind::Config)
        tracker.expectSteps(); // it includes our header: its steps will come, however long its data set takes
    const std::int64_t now = hostNow();
    bool wanted = g_hot.recording.load(std::memory_order_relaxed);
    if (mark == format::MarkKind::Step) {
        const std::int64_t number = tracker.onStep(StepSource::Marks, nullptr, now);
        // Both the step that opens the window and the one that closes it stand in the file.
        wanted = number != 0 && (wanted || g_hot.recording.load(std::memory_order_relaxed));
        value = static_cast<double>(number);
    } else if (mark == format::MarkKind::StepEnd) {
        tracker.onStepEnd(StepSource::Marks, now);
    }
    ThreadState *state = wanted ? ThreadState::current() : nullptr;
    if (state)
        pushMark(*state, mark, now, name, text, value);
}

} // namespace tuneline::agent
