// SPDX-License-Identifier: MIT
// Records of all kinds on their way to the file, gathered so that frames are large. Not thread-safe: each producing
// thread of ours has one.
#pragma once

#include "capture/agent/framefile.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace tuneline::agent {

class Batches
{
public:
    static constexpr std::size_t kFlushBytes = 256U << 10;

    explicit Batches(FrameFile &file) noexcept
        : m_file(file)
    { }

    template <typename Record> void add(format::RecordKind kind, const Record &record)
    {
        static_assert(std::is_trivially_copyable_v<Record> && !std::is_pointer_v<Record>);
        addBytes(kind, &record, sizeof record);
    }

    void addBytes(format::RecordKind kind, const void *record, std::uint32_t bytes)
    {
        Batch &batch = m_batches[static_cast<std::size_t>(kind) % kKinds];
        batch.kind = kind;
        batch.recordBytes = bytes;
        const std::size_t at = batch.bytes.size();
        batch.bytes.resize(at + bytes);
        std::memcpy(batch.bytes.data() + at, record, bytes);
        ++batch.count;
        if (batch.bytes.size() >= kFlushBytes)
            m_file.writeBatch(batch);
    }

    void flush() noexcept
    {
        for (Batch &batch : m_batches)
            m_file.writeBatch(batch);
    }

private:
    static constexpr std::size_t kKinds = 32;
    FrameFile &m_file;
    std::array<Batch, kKinds> m_batches;
};

} // namespace tuneline::agent
