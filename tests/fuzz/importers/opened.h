// SPDX-License-Identifier: GPL-3.0-or-later
// Opens bytes as a file and checks what every trace must fulfil, whatever the bytes were.
#pragma once

#include "analysis/import/open.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tuneline::test {

inline void require(bool holds)
{
    if (!holds)
        std::abort();
}

inline void checkTrace(const analysis::Trace &trace)
{
    const std::size_t count = trace.events.size();
    require(trace.spanBegin <= trace.spanEnd);
    for (const analysis::Lane &lane : trace.lanes) {
        require(std::size_t{lane.first} + lane.count <= count && lane.busyNs >= 0 && lane.maxEnd.size() == lane.count);
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            require(trace.events.duration[i] >= 0);
            require(i == lane.first || trace.events.start[i - 1] <= trace.events.start[i]);
            const analysis::EventId parent = trace.events.parent[i], launch = trace.events.launch[i];
            require(!parent.valid() || (parent.value >= lane.first && parent.value < i));
            require(!launch.valid() || launch.value < count);
        }
    }
}

// The format's first bytes are put in front where they are missing, so that the fuzzer works on what is behind them.
inline void openBytes(const std::uint8_t *data, std::size_t size, const std::string &prefix = {})
{
    static const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("tuneline-fuzz-" + std::to_string(getpid()));
    const std::string bytes(reinterpret_cast<const char *>(data), size);
    {
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        out << (bytes.starts_with(prefix) ? "" : prefix) << bytes;
    }
    analysis::Progress progress;
    if (const auto opened = analysis::openTrace({path}, progress))
        checkTrace(**opened);
}

} // namespace tuneline::test
