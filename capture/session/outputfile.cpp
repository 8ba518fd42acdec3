// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/outputfile.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

namespace tuneline::capture {

namespace {
constexpr std::size_t kLongestLine = 64U << 10; // PROTOCOL.md, output
constexpr int kPiecesAtOnce = 8; // × 64 KiB: a program that floods must not keep us from the rest
constexpr std::int64_t kReleaseAt = 1 << 20;
} // namespace

Result<OutputFile> OutputFile::create()
{
    std::error_code error;
    auto folder = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::filesystem::path("/tmp") : folder) / "tuneline-output-XXXXXX";
    const int made = mkostemp(name.data(), O_APPEND | O_CLOEXEC);
    UniqueFd writer(made);
    UniqueFd reader(made < 0 ? -1 : open(name.c_str(), O_RDWR | O_CLOEXEC)); // writable: it punches holes
    if (made >= 0)
        unlink(name.c_str());
    if (!writer || !reader)
        return fail(Error::Code::LaunchFailed,
                    "Can't make a file for the program's output: " + std::string(std::strerror(errno)) + ".",
                    "Set TMPDIR to a folder with space that can be written to.");
    return OutputFile(std::move(writer), std::move(reader));
}

OutputFile::OutputFile(UniqueFd writer, UniqueFd reader)
    : m_writer(std::move(writer))
    , m_reader(std::move(reader))
    , m_lines(kLongestLine)
{ }

std::vector<std::string> OutputFile::read(bool last)
{
    std::vector<std::string> texts;
    std::array<char, 65536> buffer;
    for (int piece = 0; piece < kPiecesAtOnce; ++piece) {
        const auto got = pread(m_reader.get(), buffer.data(), buffer.size(), m_offset);
        if (got <= 0)
            break;
        m_offset += got;
        for (auto &line : m_lines.feed({buffer.data(), static_cast<std::size_t>(got)}))
            texts.push_back(std::move(line.text));
    }
    if (last && drained()) {
        if (auto rest = m_lines.takeRest(); !rest.empty())
            texts.push_back(std::move(rest));
    }
    releaseSpace();
    return texts;
}

bool OutputFile::drained() const
{
    struct stat status
    { };
    return fstat(m_reader.get(), &status) != 0 || m_offset >= status.st_size;
}

// What was read needs no disk space any more: a run of days may print gigabytes. Not every file system can do it.
void OutputFile::releaseSpace()
{
    if (m_offset - m_released < kReleaseAt)
        return;
    if (fallocate(m_reader.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, m_released, m_offset - m_released) == 0)
        m_released = m_offset;
}

} // namespace tuneline::capture
