// SPDX-License-Identifier: GPL-3.0-or-later
// A list that only grows, in chunks that never move: nothing is copied while it grows, its pages are huge ones, and
// they go back to the system when the list goes. One thread at a time.
#pragma once

#include "analysis/trace/hugepages.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace tuneline::analysis {

template <typename T> class Slab
{
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

public:
    static constexpr std::size_t kPerChunk = HugePage::kBytes / sizeof(T);

    T &push(const T &value)
    {
        const std::size_t place = m_size % kPerChunk;
        if (place == 0) // a short list must not take a huge page
            m_chunks.emplace_back(m_chunks.empty() ? HugePage::Advice::Small : HugePage::Advice::Huge);
        ++m_size;
        return *new (chunk(m_chunks.size() - 1) + place) T(value);
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    // Calls visit(std::span<T>) for the pieces that make up [from, to).
    template <typename Visit> void forRange(std::size_t from, std::size_t to, Visit &&visit)
    {
        while (from < to) {
            const std::size_t place = from % kPerChunk, count = std::min(kPerChunk - place, to - from);
            visit(std::span<T>(chunk(from / kPerChunk) + place, count));
            from += count;
        }
    }
    // The pieces that it lies in, and the end of one of them, which is never touched again. Several threads may do this
    // with different ones.
    [[nodiscard]] std::size_t chunks() const noexcept { return m_chunks.size(); }
    [[nodiscard]] std::span<T> chunkAt(std::size_t index) const noexcept
    {
        return {chunk(index), std::min(kPerChunk, m_size - index * kPerChunk)};
    }
    void release(std::size_t index) noexcept { m_chunks[index] = HugePage(); }
    void clear() noexcept
    {
        m_chunks.clear();
        m_size = 0;
    }

private:
    [[nodiscard]] T *chunk(std::size_t index) const noexcept { return static_cast<T *>(m_chunks[index].data()); }

    std::vector<HugePage> m_chunks;
    std::size_t m_size = 0;
};

} // namespace tuneline::analysis
