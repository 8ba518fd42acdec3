// SPDX-License-Identifier: MIT
#include "capture/agent/cupti/buffers.h"

#include <cstring>
#include <sys/mman.h>

namespace tuneline::agent::cupti {

namespace {
constexpr std::size_t kReady = 4; // host thread, autograd thread, CUPTI's own, one to spare
}

BufferPool &BufferPool::instance() noexcept
{
    static BufferPool &pool = *new BufferPool;
    return pool;
}

std::uint8_t *BufferPool::map(bool populate) noexcept
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populate ? MAP_POPULATE : 0);
    void *memory = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t *>(memory);
}

void BufferPool::prepare(bool nullIsSafe) noexcept
{
    const std::lock_guard lock(m_mutex);
    m_nullIsSafe = nullIsSafe;
    m_thrownAway = m_refused = 0;
    // Room for all, so that the callbacks never allocate.
    m_idle.reserve(2 * kMaxBuffers);
    m_full.reserve(2 * kMaxBuffers);
    while (m_idle.size() < kReady && m_made < kMaxBuffers) {
        std::uint8_t *buffer = map(true);
        if (!buffer)
            return;
        ++m_made;
        m_idle.push_back(buffer);
    }
}

std::uint8_t *BufferPool::give() noexcept
{
    const std::lock_guard lock(m_mutex);
    if (!m_idle.empty()) {
        std::uint8_t *buffer = m_idle.back();
        m_idle.pop_back();
        return buffer;
    }
    if (m_made >= kMaxBuffers) {
        ++m_refused;
        if (m_nullIsSafe)
            return nullptr;
        if (!m_full.empty()) { // the oldest records go, the program goes on
            std::uint8_t *oldest = m_full.front().data;
            std::memset(oldest, 0, m_full.front().validBytes);
            m_full.erase(m_full.begin());
            ++m_thrownAway;
            return oldest;
        }
    }
    std::uint8_t *buffer = map(false);
    m_made += buffer ? 1 : 0;
    return buffer;
}

void BufferPool::accept(std::uint8_t *data, std::size_t validBytes) noexcept
{
    if (!data)
        return;
    const std::lock_guard lock(m_mutex);
    try {
        m_full.push_back({data, validBytes});
    } catch (...) {
        ++m_thrownAway; // leaks the buffer: there is no memory to remember it with
    }
}

std::vector<FullBuffer> BufferPool::takeFull() noexcept
{
    std::vector<FullBuffer> full;
    try {
        full.reserve(2 * kMaxBuffers);
        const std::lock_guard lock(m_mutex);
        full.assign(m_full.begin(), m_full.end());
        m_full.clear();
    } catch (...) {
        full.clear(); // they stay where they are until there is memory
    }
    return full;
}

void BufferPool::recycle(std::uint8_t *data, std::size_t usedBytes) noexcept
{
    std::memset(data, 0, usedBytes);
    const std::lock_guard lock(m_mutex);
    if (m_made <= kMaxBuffers && m_idle.size() < m_idle.capacity()) {
        m_idle.push_back(data);
        return;
    }
    munmap(data, kBufferBytes);
    --m_made;
}

void BufferPool::trim() noexcept
{
    const std::lock_guard lock(m_mutex);
    for (std::uint8_t *buffer : m_idle)
        munmap(buffer, kBufferBytes);
    m_made -= m_idle.size();
    m_idle.clear();
}

} // namespace tuneline::agent::cupti
