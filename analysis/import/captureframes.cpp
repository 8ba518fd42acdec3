// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/captureframes.h"

#include "analysis/import/jsonscan.h"
#include <string>
#include <zlib.h>

namespace tuneline::analysis {
namespace {

using namespace format;

// A capture names some tens of thousands of strings; ids far beyond what was written are damage.
constexpr std::uint32_t kMaxStrings = 1U << 26U;

class FrameReader
{
public:
    FrameReader(std::string_view file, ImportReport &report)
        : m_file(file)
        , m_report(report)
    { }
    CaptureFrames read();

private:
    bool readFrame();
    void take(const FrameHeader &header, std::string_view payload);
    void takeMetadata(std::string_view payload);
    void takeStrings(std::string_view payload);
    void takeRecords(std::string_view payload);
    void problem(std::string_view name, const std::string &text)
    {
        m_report.add(name, Severity::DataLoss, {static_cast<std::int64_t>(m_at), -1, text});
    }

    std::string_view m_file;
    ImportReport &m_report;
    CaptureFrames m_frames;
    std::size_t m_at = 0;
    std::uint32_t m_sequence = 0;
};

template <typename T> T readPlain(std::string_view bytes)
{
    T value;
    std::memcpy(static_cast<void *>(&value), bytes.data(), sizeof value);
    return value;
}

CaptureFrames FrameReader::read()
{
    m_frames.strings.emplace_back();
    if (m_file.size() < sizeof(FileHeader)) {
        m_frames.truncated = true;
        problem("file-truncated", "the file ends inside its header");
        return std::move(m_frames);
    }
    const auto header = readPlain<FileHeader>(m_file);
    m_at = header.headerBytes;
    if (header.version > kVersion)
        m_report.add("newer-version", Severity::Warning,
                     {8, -1, "written by a newer Tuneline; what it added is not shown"});
    while (m_at < m_file.size() && readFrame()) { }
    if (!m_frames.end && !m_frames.truncated)
        m_report.add("capture-not-ended", Severity::Info,
                     {static_cast<std::int64_t>(m_file.size()), -1,
                      "the program ended before its capture did; all that was written is here"});
    return std::move(m_frames);
}

bool FrameReader::readFrame()
{
    const std::string_view rest = m_file.substr(m_at);
    const auto header = rest.size() < sizeof(FrameHeader) ? FrameHeader{} : readPlain<FrameHeader>(rest);
    if (rest.size() >= sizeof(FrameHeader) && header.payloadBytes > kMaxFrameBytes) {
        problem("frame-damaged", "the frame's length makes no sense; what stands behind it is lost");
        return false;
    }
    if (rest.size() < sizeof(FrameHeader) + header.payloadBytes) {
        m_frames.truncated = true;
        problem("file-truncated", "the file ends inside a frame, at byte " + std::to_string(m_file.size()));
        return false;
    }
    const std::string_view payload = rest.substr(sizeof(FrameHeader), header.payloadBytes);
    const auto sum = crc32_z(0, reinterpret_cast<const unsigned char *>(payload.data()), payload.size());
    if (sum != header.checksum)
        problem("frame-damaged", "a frame's checksum is wrong; its content is left out");
    else
        take(header, payload);
    if (header.sequence != m_sequence)
        problem("frames-lost", "frames " + std::to_string(m_sequence) + " and following are missing before this one");
    m_sequence = header.sequence + 1;
    m_at += sizeof(FrameHeader) + payload.size();
    return true;
}

void FrameReader::take(const FrameHeader &header, std::string_view payload)
{
    switch (header.kind) {
    case FrameKind::Metadata:
        return takeMetadata(payload);
    case FrameKind::Strings:
        return takeStrings(payload);
    case FrameKind::Records:
        return takeRecords(payload);
    case FrameKind::End:
        if (payload.size() >= sizeof(EndFrame))
            m_frames.end = readPlain<EndFrame>(payload);
        return;
    }
    m_report.add("frame-unknown", Severity::Info,
                 {static_cast<std::int64_t>(m_at), -1, "a frame of a kind that is not known here"});
}

void FrameReader::takeMetadata(std::string_view payload)
{
    const bool deep = json::nestingOf(payload) > json::kMaxNesting;
    const auto object = deep ? nlohmann::json() : nlohmann::json::parse(payload, nullptr, false);
    if (!object.is_object()) {
        problem("metadata-damaged", "the metadata can't be read");
        return;
    }
    m_frames.metadata.update(object);
}

void FrameReader::takeStrings(std::string_view payload)
{
    if (payload.size() < 8)
        return problem("frame-damaged", "a frame of names is too short");
    const auto first = readPlain<std::uint32_t>(payload), count = readPlain<std::uint32_t>(payload.substr(4));
    payload.remove_prefix(8);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t bytes = payload.size() >= 4 ? readPlain<std::uint32_t>(payload) : 0;
        const std::uint64_t id = std::uint64_t{first} + i;
        if (payload.size() < 4 || payload.size() - 4 < bytes || id >= kMaxStrings)
            return problem("frame-damaged", "a frame of names is shorter than it says");
        if (id >= m_frames.strings.size())
            m_frames.strings.resize(id + 1);
        m_frames.strings[id] = payload.substr(4, bytes);
        payload.remove_prefix(4 + std::size_t{bytes});
    }
}

void FrameReader::takeRecords(std::string_view payload)
{
    if (payload.size() < sizeof(RecordBlock))
        return problem("frame-damaged", "a frame of records is too short");
    const auto block = readPlain<RecordBlock>(payload);
    payload.remove_prefix(sizeof(RecordBlock));
    const std::uint64_t bytes = std::uint64_t{block.recordBytes} * block.count;
    if (block.recordBytes == 0 || bytes > payload.size())
        return problem("frame-damaged", "a frame of records is shorter than it says");
    const std::uint64_t offset = m_at + sizeof(FrameHeader) + sizeof(RecordBlock);
    m_frames.records.push_back({block.kind, block.recordBytes, block.count, payload.substr(0, bytes), offset});
}

} // namespace

CaptureFrames readFrames(std::string_view file, ImportReport &report)
{
    return FrameReader(file, report).read();
}

} // namespace tuneline::analysis
