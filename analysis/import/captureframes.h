// SPDX-License-Identifier: GPL-3.0-or-later
// The container level of a capture file: whole, checked frames as far as they go, and what was lost.
#pragma once

#include "analysis/trace/importreport.h"
#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

// Views into the mapped file.
struct RecordView
{
    format::RecordKind kind{};
    std::uint32_t recordBytes = 0;
    std::uint32_t count = 0;
    std::string_view bytes;
    std::uint64_t offset = 0; // of the first record in the file

    // Fields that the file doesn't have keep the defaults of records.h.
    template <typename Record> [[nodiscard]] Record at(std::uint32_t index) const
    {
        Record record;
        std::memcpy(static_cast<void *>(&record), bytes.data() + std::size_t{index} * recordBytes,
                    recordBytes < sizeof record ? recordBytes : sizeof record);
        return record;
    }
};

struct CaptureFrames
{
    nlohmann::json metadata = nlohmann::json::object();
    std::vector<std::string_view> strings; // by id; 0 is ""
    std::vector<RecordView> records;
    std::optional<format::EndFrame> end;
    bool truncated = false;

    [[nodiscard]] std::string_view text(std::uint32_t id) const
    {
        return id < strings.size() ? strings[id] : std::string_view();
    }
};

// `file` begins with the file header. Reads up to the last whole frame.
[[nodiscard]] CaptureFrames readFrames(std::string_view file, ImportReport &report);

} // namespace tuneline::analysis
