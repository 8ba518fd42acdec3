// SPDX-License-Identifier: GPL-3.0-or-later
// A quick look at a capture file: is there anything in it? Reads headers only, no records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tuneline::capture {

struct CaptureFileFacts
{
    std::uint64_t bytes = 0;
    std::uint64_t records = 0; // in whole frames
    std::uint64_t dropped = 0; // known only where the file was ended in order
    bool complete = false; // has its End frame
};

// nullopt: not there, or no capture file. The file may be cut, or still be written.
[[nodiscard]] std::optional<CaptureFileFacts> readCaptureFile(const std::filesystem::path &file);

} // namespace tuneline::capture
