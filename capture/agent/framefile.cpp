// SPDX-License-Identifier: MIT
#include "capture/agent/framefile.h"

#include "capture/agent/names.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tuneline::agent {

namespace {

// CRC-32 of two pieces as if they stood together.
std::uint32_t checksumOf(const void *head, std::size_t headBytes, const void *body, std::size_t bodyBytes) noexcept
{
    std::uint32_t crc = 0xFFFFFFFFU;
    const auto feed = [&crc](const void *data, std::size_t bytes) {
        const auto *p = static_cast<const unsigned char *>(data);
        for (std::size_t i = 0; i < bytes; ++i)
            crc = format::detail::kCrcTable[(crc ^ p[i]) & 0xFFU] ^ (crc >> 8U);
    };
    feed(head, headBytes);
    feed(body, bodyBytes);
    return ~crc;
}

} // namespace

int FrameFile::create(const char *path) noexcept
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno;
    m_fd = fd;
    format::FileHeader header;
    iovec part{&header, sizeof header};
    const std::lock_guard lock(m_mutex);
    writeAll(&part, 1);
    return m_error;
}

void FrameFile::writeAll(iovec *parts, int count) noexcept
{
    int first = 0;
    while (first < count && m_error == 0) {
        const ssize_t written = pwritev(m_fd, parts + first, count - first, static_cast<off_t>(m_offset.load()));
        if (written < 0) {
            if (errno == EINTR)
                continue;
            m_error = errno;
            return;
        }
        m_offset += static_cast<std::uint64_t>(written);
        auto rest = static_cast<std::size_t>(written);
        while (first < count && rest >= parts[first].iov_len)
            rest -= parts[first++].iov_len;
        if (first < count) {
            parts[first].iov_base = static_cast<char *>(parts[first].iov_base) + rest;
            parts[first].iov_len -= rest;
        }
    }
}

void FrameFile::writeFrame(format::FrameKind kind, const void *head, std::size_t headBytes, const void *body,
                           std::size_t bodyBytes) noexcept
{
    if (m_error != 0 || m_fd < 0)
        return;
    format::FrameHeader header;
    header.kind = kind;
    header.payloadBytes = static_cast<std::uint32_t>(headBytes + bodyBytes);
    header.checksum = checksumOf(head, headBytes, body, bodyBytes);
    header.sequence = m_sequence++;
    iovec parts[3] = {
        {&header, sizeof header}, {const_cast<void *>(head), headBytes}, {const_cast<void *>(body), bodyBytes}};
    writeAll(parts, 3);
}

void FrameFile::writeMetadata(std::string_view json) noexcept
{
    const std::lock_guard lock(m_mutex);
    writeFrame(format::FrameKind::Metadata, json.data(), json.size(), nullptr, 0);
}

void FrameFile::writeNames() noexcept
{
    constexpr std::size_t kChunk = 4U << 20;
    try {
        while (m_error == 0) {
            const auto payload = NameTable::instance().stringsPayload(m_namesWritten, kChunk);
            if (payload.empty())
                return;
            writeFrame(format::FrameKind::Strings, payload.data(), payload.size(), nullptr, 0);
        }
    } catch (...) {
        m_error = ENOMEM;
    }
}

void FrameFile::writeBatch(Batch &batch) noexcept
{
    if (batch.count == 0)
        return;
    {
        const std::lock_guard lock(m_mutex);
        writeNames();
        const format::RecordBlock block{batch.kind, batch.recordBytes, batch.count, 0};
        writeFrame(format::FrameKind::Records, &block, sizeof block, batch.bytes.data(), batch.bytes.size());
        if (m_error == 0)
            m_records += batch.count;
    }
    batch.count = 0;
    batch.bytes.clear();
}

void FrameFile::writeEnd(std::uint64_t dropped) noexcept
{
    const std::lock_guard lock(m_mutex);
    const format::EndFrame end{m_records, dropped};
    writeFrame(format::FrameKind::End, &end, sizeof end, nullptr, 0);
}

void FrameFile::close() noexcept
{
    abandon();
}

void FrameFile::abandon() noexcept
{
    const int fd = m_fd.exchange(-1);
    if (fd >= 0)
        ::close(fd);
}

} // namespace tuneline::agent
