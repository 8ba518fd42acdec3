// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of a JSON trace: views of the text as it stands in the file. A number is never read through a double where it
// could lose digits: times go from their decimal text straight to integer nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tuneline::analysis::json {

// Without the quotes, if there are any.
[[nodiscard]] inline std::string_view unquoted(std::string_view token) noexcept
{
    const bool quoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
    return quoted ? token.substr(1, token.size() - 2) : token;
}

// Microseconds as decimal text (quoted or not) to ns, rounded to the nearest; nullopt if it is no number or out of
// range.
[[nodiscard]] std::optional<std::int64_t> microsecondsToNs(std::string_view token) noexcept;

// Integers, quoted or not, also 0x….
[[nodiscard]] std::optional<std::int64_t> toInt(std::string_view token) noexcept;
[[nodiscard]] std::optional<std::uint64_t> toUnsigned(std::string_view token) noexcept;
// nullopt for NaN and infinities, however they are spelled.
[[nodiscard]] std::optional<double> toDouble(std::string_view token) noexcept;

// An identifier of any shape as a number: equal texts give equal numbers, unequal ones practically never. 0 for "0" and
// "".
[[nodiscard]] std::uint64_t toId(std::string_view token) noexcept;

struct DecodedText
{
    std::string_view text; // in the token, or in the scratch string that was given
    bool repaired = false; // had escapes that JSON doesn't know, or bytes that aren't UTF-8
    bool control = false; // has raw control bytes, which JSON forbids; kept
};
// The text of a string token. One illegal escape makes all backslashes of the string literal ones (a Windows path).
[[nodiscard]] DecodedText decodeString(std::string_view token, std::string &scratch);
[[nodiscard]] bool isUtf8(std::string_view text) noexcept;
// The same for text that may hold invalid UTF-8: each bad byte becomes U+FFFD.
[[nodiscard]] DecodedText decodeUncheckedString(std::string_view token, std::string &scratch);

} // namespace tuneline::analysis::json
