// SPDX-License-Identifier: GPL-3.0-or-later
// A file mapped into memory, read-only. Its view is valid as long as the object lives; any thread may read it.
#pragma once

#include "analysis/result.h"

#include <filesystem>
#include <string_view>

namespace tuneline::analysis {

class MappedFile
{
public:
    static Result<MappedFile> open(const std::filesystem::path &path);
    MappedFile() = default;
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;
    ~MappedFile();

    [[nodiscard]] std::string_view view() const noexcept { return {m_data, m_size}; }
    // The pages of this part are not needed for now: keeps resident memory low on files of many GB.
    void release(std::size_t from, std::size_t to) const noexcept;

private:
    char *m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace tuneline::analysis
