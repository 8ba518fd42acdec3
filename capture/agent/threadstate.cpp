// SPDX-License-Identifier: MIT
#include "capture/agent/threadstate.h"

#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tuneline::agent {

ThreadState *ThreadState::s_first = nullptr;

namespace {

pthread_mutex_t g_registry = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t g_exitKey;
pthread_once_t g_exitKeyOnce = PTHREAD_ONCE_INIT;
bool g_haveExitKey = false;

// Default TLS model: initial-exec fails in a late dlopen once the static TLS block is full (CAPTURE.md section 7).
thread_local ThreadState *t_state = nullptr;
thread_local bool t_refuse = false; // being made, or the thread is ending

// Eight bytes a round: names are 20 to 60 bytes and this runs for each operator.
std::uint64_t hashOf(std::string_view text) noexcept
{
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ text.size();
    const char *p = text.data();
    std::size_t left = text.size();
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDULL;
        hash ^= hash >> 32U;
    };
    for (; left >= 8; left -= 8, p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        mix(word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, p, left);
    mix(word);
    return hash;
}

} // namespace

void ThreadState::lockRegistry() noexcept
{
    pthread_mutex_lock(&g_registry);
}
void ThreadState::unlockRegistry() noexcept
{
    pthread_mutex_unlock(&g_registry);
}

ThreadState *ThreadState::existing() noexcept
{
    return t_state;
}

ThreadState *ThreadState::current() noexcept
{
    if (t_state) [[likely]]
        return t_state;
    if (t_refuse || g_hot.dead.load(std::memory_order_relaxed))
        return nullptr;
    t_refuse = true;
    t_state = make();
    t_refuse = t_state == nullptr; // out of memory once: this thread stays unrecorded
    return t_state;
}

ThreadState *ThreadState::make() noexcept
{
    pthread_once(&g_exitKeyOnce, [] { g_haveExitKey = pthread_key_create(&g_exitKey, onThreadExit) == 0; });
    if (!g_haveExitKey)
        return nullptr;
    void *memory = mmap(nullptr, sizeof(ThreadState), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    // Default-initialised, not ThreadState(): that would write zeros over the whole ring.
    auto *state = ::new (memory) ThreadState;
    state->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    if (pthread_setspecific(g_exitKey, state) != 0) {
        munmap(memory, sizeof(ThreadState));
        return nullptr;
    }
    lockRegistry();
    state->next = s_first;
    s_first = state;
    unlockRegistry();
    return state;
}

void ThreadState::onThreadExit(void *state) noexcept
{
    t_refuse = true; // destructors of other libraries may still run operators on this thread
    t_state = nullptr;
    auto *ending = static_cast<ThreadState *>(state);
    const bool armed = g_hot.armed.load();
    ending->drained.store(!armed, std::memory_order_relaxed);
    ending->ended.store(true, std::memory_order_release);
    if (!g_hot.dead.load(std::memory_order_relaxed) && !armed)
        reap();
}

void ThreadState::reap() noexcept
{
    lockRegistry();
    for (ThreadState **link = &s_first; *link;) {
        ThreadState *state = *link;
        if (state->ended.load(std::memory_order_acquire) && state->drained.load(std::memory_order_relaxed)) {
            *link = state->next;
            munmap(static_cast<void *>(state), sizeof(ThreadState));
        } else {
            link = &state->next;
        }
    }
    unlockRegistry();
}

void ThreadState::releaseMemory() noexcept
{
    forEach([](ThreadState &state) {
        state.ring.drain([](const Slot &) {});
        madvise(state.ring.slots(), sizeof(Slot) * Ring::kSlots, MADV_DONTNEED);
    });
}

void ThreadState::enterEpoch(std::uint32_t now) noexcept
{
    epoch = now;
    depth.store(0, std::memory_order_release);
}

void ThreadState::prepareForWindow(std::uint32_t now) noexcept
{
    enterEpoch(now);
    ring.makePages();
}

std::uint32_t ThreadState::nameId(std::string_view text) noexcept
{
    // Sets of four: with one place each, two names that fall on the same place would take turns to go through the table
    // and its lock.
    constexpr std::size_t kWays = 4;
    const std::uint64_t hash = hashOf(text);
    const std::size_t set = hash & (kCachedNames - kWays);
    std::size_t victim = set + (hash >> 60U) % kWays;
    for (std::size_t at = set; at < set + kWays; ++at) {
        const Name &cached = names[at];
        if (nameHashes[at] == hash && cached.length == text.size()
            && std::memcmp(cached.text, text.data(), text.size()) == 0)
            return cached.id;
        if (cached.id == 0)
            victim = at;
    }
    const Name name = NameTable::instance().intern(text);
    if (name.id != 0 && name.length == text.size()) {
        names[victim] = name;
        nameHashes[victim] = hash;
    }
    return name.id;
}

} // namespace tuneline::agent
