// SPDX-License-Identifier: MIT
// A ring of fixed slots from one thread (the host's, which records) to one other (our writer). No lock, no allocation,
// no system call in push(); when full, push() says no and the caller counts a drop.
#pragma once

#include "capture/format/records.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tuneline::agent {

// Without initializers on purpose: making a ring must not touch its 2 MiB.
struct Slot
{
    format::RecordKind kind;
    std::uint32_t reserved; // nobody reads it
    alignas(8) std::byte payload[56];
};
static_assert(sizeof(Slot) == 64, "one cache line");

// What of a slot's payload belongs to the record.
constexpr std::uint32_t recordBytes(format::RecordKind kind) noexcept
{
    switch (kind) {
    case format::RecordKind::Op:
        return sizeof(format::OpRecord);
    case format::RecordKind::OpDetail:
        return sizeof(format::OpDetailRecord);
    case format::RecordKind::Mark:
        return sizeof(format::MarkRecord);
    case format::RecordKind::StepTime:
        return sizeof(format::StepTimeRecord);
    case format::RecordKind::Memory:
        return sizeof(format::MemoryRecord);
    default:
        return 0; // never in a ring
    }
}

class Ring
{
public:
    static constexpr std::uint64_t kSlots = 1U << 15; // 2 MiB: 100 ms at 300 000 events a second
    static_assert((kSlots & (kSlots - 1)) == 0);

    template <typename Record> bool push(format::RecordKind kind, const Record &record) noexcept
    {
        static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= sizeof(Slot::payload));
        const std::uint64_t head = m_head.load(std::memory_order_relaxed);
        if (head - m_tail.load(std::memory_order_acquire) >= kSlots)
            return false;
        Slot &slot = m_slots[head & (kSlots - 1)];
        slot.kind = kind;
        std::memcpy(slot.payload, &record, sizeof record);
        m_head.store(head + 1, std::memory_order_release);
        return true;
    }

    // Calls take(slot) for everything that is in the ring now. Writer thread only.
    template <typename Take> std::uint64_t drain(Take &&take)
    {
        const std::uint64_t head = m_head.load(std::memory_order_acquire);
        std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
        const std::uint64_t count = head - tail;
        for (; tail != head; ++tail)
            take(m_slots[tail & (kSlots - 1)]);
        m_tail.store(tail, std::memory_order_release);
        return count;
    }

    // Touches every page. The producer's thread; what is in the ring stays.
    void makePages() noexcept
    {
        constexpr std::size_t kSlotsPerPage = 4096 / sizeof(Slot);
        for (std::size_t slot = 0; slot < kSlots; slot += kSlotsPerPage)
            *static_cast<volatile std::uint32_t *>(&m_slots[slot].reserved) = 0;
    }

    [[nodiscard]] Slot *slots() noexcept { return m_slots; }

private:
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
    alignas(4096) Slot m_slots[kSlots];
};

} // namespace tuneline::agent
