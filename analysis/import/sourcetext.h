// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a source file at an offset as the readers count them: of the inflated text of a .gz, of the UTF-8 form of
// another encoding. Reads the file again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tuneline::analysis {

// `before` bytes in front of the offset (fewer at the file's beginning) and at most `after` from it on; "" if the file
// isn't there any more or is shorter. `begins` gets the offset of the first byte.
[[nodiscard]] std::string sourceText(const std::filesystem::path &file, std::uint64_t offset, std::size_t before,
                                     std::size_t after, std::uint64_t *begins = nullptr);

} // namespace tuneline::analysis
