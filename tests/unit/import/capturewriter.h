// SPDX-License-Identifier: GPL-3.0-or-later
// Writes small capture files in memory, for tests.
#pragma once

#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <string>
#include <string_view>
#include <vector>

namespace tuneline::test {

class CaptureWriter
{
public:
    CaptureWriter()
    {
        const format::FileHeader header;
        append(&header, sizeof header);
    }
    void metadata(std::string_view json) { frame(format::FrameKind::Metadata, json); }
    void strings(std::uint32_t first, const std::vector<std::string> &texts)
    {
        std::string payload;
        put(payload, first);
        put(payload, static_cast<std::uint32_t>(texts.size()));
        for (const std::string &text : texts) {
            put(payload, static_cast<std::uint32_t>(text.size()));
            payload += text;
        }
        frame(format::FrameKind::Strings, payload);
    }
    template <typename Record> void records(format::RecordKind kind, const std::vector<Record> &list)
    {
        std::string payload;
        put(payload, format::RecordBlock{kind, sizeof(Record), static_cast<std::uint32_t>(list.size()), 0});
        for (const Record &record : list)
            put(payload, record);
        frame(format::FrameKind::Records, payload);
    }
    void end(std::uint64_t written, std::uint64_t dropped)
    {
        std::string payload;
        put(payload, format::EndFrame{written, dropped});
        frame(format::FrameKind::End, payload);
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }
    [[nodiscard]] const std::vector<std::size_t> &frameEnds() const { return m_ends; }

private:
    template <typename T> static void put(std::string &out, const T &value)
    {
        out.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void append(const void *data, std::size_t bytes) { m_bytes.append(static_cast<const char *>(data), bytes); }
    void frame(format::FrameKind kind, std::string_view payload)
    {
        const format::FrameHeader header{kind, static_cast<std::uint32_t>(payload.size()),
                                         format::checksum(payload.data(), payload.size()), m_sequence++};
        append(&header, sizeof header);
        append(payload.data(), payload.size());
        m_ends.push_back(m_bytes.size());
    }

    std::string m_bytes;
    std::vector<std::size_t> m_ends;
    std::uint32_t m_sequence = 0;
};

} // namespace tuneline::test
