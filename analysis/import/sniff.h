// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is, from its first bytes; its name is only a hint for words.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tuneline::analysis {

enum class FileKind { Capture, Json, Sqlite, Other };

struct Sniffed
{
    FileKind kind = FileKind::Other;
    std::string advice; // of Other: what it is and what would work, one sentence
};

// `head`: the file's first bytes, 64 KiB at most, inflated if it is gzip.
[[nodiscard]] Sniffed sniff(std::string_view head, const std::filesystem::path &path);

} // namespace tuneline::analysis
