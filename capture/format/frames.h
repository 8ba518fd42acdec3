// SPDX-License-Identifier: MIT
// The container of a Tuneline capture file (.tlc): a file header, then frames, each with its length and checksum.
// Append-only, little-endian, versioned. A file cut at any byte is read up to its last whole frame. See FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tuneline::format {

inline constexpr std::array<char, 8> kMagic{'T', 'U', 'N', 'E', 'L', 'I', 'N', 'E'};

// Version log. A reader accepts every version up to its own; unknown frame and record kinds are skipped by length.
// 1: first version.
inline constexpr std::uint32_t kVersion = 1;

struct FileHeader
{
    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t headerBytes = sizeof(FileHeader); // frames start here: later versions may add fields
};
static_assert(sizeof(FileHeader) == 16);

enum class FrameKind : std::uint32_t {
    Metadata = 1, // UTF-8 JSON object; several are merged key by key, the later one wins
    Strings = 2, // u32 first id, u32 count, then for each: u32 bytes, the bytes (UTF-8, unterminated)
    Records = 3, // RecordBlock, then count × recordBytes
    End = 4, // EndFrame: the capture was finished in order
};

struct FrameHeader
{
    FrameKind kind{};
    std::uint32_t payloadBytes = 0;
    std::uint32_t checksum = 0; // CRC-32 (IEEE 802.3, as in zlib) of the payload
    std::uint32_t sequence = 0; // 0, 1, 2, …: a gap shows a lost frame
};
static_assert(sizeof(FrameHeader) == 16);

// A frame longer than this is damage, not data.
inline constexpr std::uint32_t kMaxFrameBytes = 1U << 26;

// Written where the capture was finished in order.
struct EndFrame
{
    std::uint64_t recordsWritten = 0;
    std::uint64_t recordsDropped = 0; // ring full, CUPTI buffer exhausted, …; metadata say which
};
static_assert(sizeof(EndFrame) == 16);

namespace detail {
constexpr std::array<std::uint32_t, 256> crcTable()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
        table[byte] = crc;
    }
    return table;
}
inline constexpr auto kCrcTable = crcTable();
} // namespace detail

// CRC-32 with zlib's parameters, so that any tool can check a file. It is here, and not zlib's, because this header is
// compiled into a stranger's training process and may bring no library along (DESIGN section 3).
inline std::uint32_t checksum(const void *data, std::size_t bytes) noexcept
{
    std::uint32_t crc = 0xFFFFFFFFU;
    const auto *p = static_cast<const unsigned char *>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        crc = detail::kCrcTable[(crc ^ p[i]) & 0xFFU] ^ (crc >> 8U);
    return ~crc;
}

} // namespace tuneline::format
