// SPDX-License-Identifier: GPL-3.0-or-later
// Text that is not UTF-8: a converter's output went through PowerShell's redirection, say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tuneline::analysis {

struct TextEncoding
{
    const char *name; // as iconv knows it
    std::size_t markBytes; // of the byte order mark
};

// UTF-16 and UTF-32, by byte order mark or by the zero bytes around the first character; nullopt for UTF-8.
[[nodiscard]] std::optional<TextEncoding> foreignEncoding(std::string_view head);

// Characters that can't be converted become U+FFFD.
[[nodiscard]] std::string toUtf8(std::string_view text, const TextEncoding &encoding);

} // namespace tuneline::analysis
