// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/capturefile.h"

#include "capture/format/frames.h"
#include "capture/format/records.h"

#include <fstream>
#include <system_error>

namespace tuneline::capture {

namespace {

template <typename T> bool readAt(std::ifstream &in, std::uint64_t offset, T &value)
{
    in.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(in.read(reinterpret_cast<char *>(&value), sizeof value));
}

// The clocks, thread names and step times are in every file, also in one whose window never opened.
bool isContent(format::RecordKind kind)
{
    using enum format::RecordKind;
    return kind != Thread && kind != Clock && kind != Counter && kind != StepTime;
}

void readFrame(std::ifstream &in, const format::FrameHeader &header, std::uint64_t payload, CaptureFileFacts &facts)
{
    if (header.kind == format::FrameKind::Records) {
        format::RecordBlock block;
        if (readAt(in, payload, block) && isContent(block.kind))
            facts.records += block.count;
    } else if (header.kind == format::FrameKind::End) {
        format::EndFrame end;
        facts.complete = readAt(in, payload, end);
        facts.dropped = end.recordsDropped;
    }
}

} // namespace

std::optional<CaptureFileFacts> readCaptureFile(const std::filesystem::path &file)
{
    std::ifstream in(file, std::ios::binary);
    format::FileHeader header;
    std::error_code error;
    CaptureFileFacts facts;
    facts.bytes = std::filesystem::file_size(file, error);
    if (error || !readAt(in, 0, header) || header.magic != format::kMagic)
        return std::nullopt;
    std::uint64_t offset = header.headerBytes;
    format::FrameHeader frame;
    while (readAt(in, offset, frame) && frame.payloadBytes <= format::kMaxFrameBytes) {
        const auto payload = offset + sizeof frame;
        if (payload + frame.payloadBytes > facts.bytes)
            break; // cut
        readFrame(in, frame, payload, facts);
        offset = payload + frame.payloadBytes;
    }
    return facts;
}

} // namespace tuneline::capture
