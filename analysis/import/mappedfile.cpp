// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/mappedfile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tuneline::analysis {

Result<MappedFile> MappedFile::open(const std::filesystem::path &path)
{
    const auto failed = [&](const char *what) {
        return fail(Error::Code::CannotOpen, std::string(what) + ": " + std::strerror(errno) + ".", path.string());
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe has no writer, perhaps
    if (file < 0)
        return failed("The file can't be opened");
    struct stat info
    { };
    const bool known = ::fstat(file, &info) == 0;
    MappedFile mapped;
    if (known && !S_ISREG(info.st_mode)) {
        ::close(file);
        return fail(Error::Code::CannotOpen, "This is a pipe or a device, not a file; save what comes from it first.",
                    path.string());
    }
    if (known && info.st_size > 0) {
        mapped.m_size = static_cast<std::size_t>(info.st_size);
        void *data = ::mmap(nullptr, mapped.m_size, PROT_READ, MAP_PRIVATE, file, 0);
        mapped.m_data = data == MAP_FAILED ? nullptr : static_cast<char *>(data);
    }
    ::close(file);
    if (!known || (mapped.m_size > 0 && mapped.m_data == nullptr)) {
        mapped.m_size = 0;
        return failed("The file can't be read");
    }
    return mapped;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
{ }

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
}

MappedFile::~MappedFile()
{
    if (m_data != nullptr)
        ::munmap(m_data, m_size);
}

void MappedFile::release(std::size_t from, std::size_t to) const noexcept
{
    constexpr std::size_t kPage = 4096;
    const std::size_t first = (from + kPage - 1) / kPage * kPage, last = to / kPage * kPage;
    if (m_data != nullptr && last > first && last <= m_size)
        ::madvise(m_data + first, last - first, MADV_DONTNEED);
}

} // namespace tuneline::analysis
