// SPDX-License-Identifier: MIT
// The capture file being written: frames with checksum, each by one pwritev, so that a killed process leaves whole
// frames. Used by the writer thread and the CUPTI thread, one at a time (it locks). The first failed write ends it:
// nothing more is written, error() says why, the host goes on.
#pragma once

#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

struct iovec;

namespace tuneline::agent {

// Records of one kind that wait to be written.
struct Batch
{
    format::RecordKind kind{};
    std::uint32_t recordBytes = 0;
    std::uint32_t count = 0;
    std::vector<std::byte> bytes;
};

class FrameFile
{
public:
    FrameFile() = default;
    FrameFile(const FrameFile &) = delete;
    FrameFile &operator=(const FrameFile &) = delete;
    ~FrameFile() { close(); }

    // Makes the file, which must not exist. errno, 0 = done.
    int create(const char *path) noexcept;
    void writeMetadata(std::string_view json) noexcept;
    // New names first, then the records; empties the batch.
    void writeBatch(Batch &batch) noexcept;
    void writeEnd(std::uint64_t dropped) noexcept;
    void close() noexcept;
    // In a forked child: closes the descriptor and nothing else (a lock may be held by a thread that isn't here).
    void abandon() noexcept;

    [[nodiscard]] int error() const noexcept { return m_error; }
    [[nodiscard]] std::uint64_t bytesWritten() const noexcept { return m_offset; }
    [[nodiscard]] std::uint64_t records() const noexcept { return m_records; }

private:
    void writeFrame(format::FrameKind kind, const void *head, std::size_t headBytes, const void *body,
                    std::size_t bodyBytes) noexcept;
    void writeNames() noexcept;
    void writeAll(iovec *parts, int count) noexcept;

    std::mutex m_mutex;
    std::atomic<int> m_fd{-1};
    std::uint32_t m_sequence = 0;
    std::uint32_t m_namesWritten = 0;
    std::atomic<int> m_error{0};
    std::atomic<std::uint64_t> m_offset{0};
    std::atomic<std::uint64_t> m_records{0};
};

} // namespace tuneline::agent
