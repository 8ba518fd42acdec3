// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of capture files for a client on another machine.
#pragma once

#include "capture/session/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tuneline::capture {

inline constexpr std::uint64_t kLargestPiece = 4U << 20;

struct FilePiece
{
    std::uint64_t offset = 0, size = 0; // size of the file now
    std::string bytes;
};

// Reads only files that begin like a capture: the protocol is no way to the rest of the disk.
[[nodiscard]] Result<FilePiece> fetchPiece(const std::string &path, std::uint64_t offset, std::uint64_t bytes);
[[nodiscard]] std::string toBase64(std::string_view bytes);

} // namespace tuneline::capture
