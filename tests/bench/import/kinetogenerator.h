// SPDX-License-Identifier: GPL-3.0-or-later
// Writes Kineto files of any size with the shape and the mix of events of a real one: nested operators with shapes, API
// calls, kernels, flows, memory reports. The same seed gives the same file.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tuneline::bench {

struct Generated
{
    std::uint64_t bytes = 0;
    std::uint64_t slices = 0; // "X" events
    std::uint64_t kernels = 0;
};

Generated writeKineto(const std::filesystem::path &path, std::uint64_t bytes, std::uint32_t seed = 1);
void gzipFile(const std::filesystem::path &from, const std::filesystem::path &to);

} // namespace tuneline::bench
