// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsontext.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace tuneline::analysis::json {
namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Decimal digits and the place of the point; value = digits × 10^exponent.
struct Decimal
{
    std::uint64_t digits = 0;
    int exponent = 0;
    bool negative = false;
    bool halfUp = false; // the first digit that was cut off is 5 or more
};

// Reads at most 19 significant digits: what comes after is far below a nanosecond.
std::optional<Decimal> readDecimal(std::string_view text) noexcept
{
    Decimal d;
    std::size_t i = 0;
    if (i < text.size() && (text[i] == '-' || text[i] == '+'))
        d.negative = text[i++] == '-';
    int kept = 0;
    bool any = false, point = false;
    for (; i < text.size() && (isDigit(text[i]) || (text[i] == '.' && !point)); ++i) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        any = true;
        if (kept < 19) {
            d.digits = d.digits * 10 + static_cast<unsigned>(text[i] - '0');
            kept += d.digits > 0 ? 1 : 0;
            d.exponent -= point ? 1 : 0;
        } else {
            d.halfUp = kept == 19 ? text[i] >= '5' : d.halfUp;
            ++kept;
            d.exponent += point ? 0 : 1;
        }
    }
    if (any && i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        int exponent = 0;
        const char *from = text.data() + i + 1;
        from += from < text.data() + text.size() && *from == '+' ? 1 : 0;
        const auto [end, error] = std::from_chars(from, text.data() + text.size(), exponent);
        if (error != std::errc() || exponent > 1000 || exponent < -1000)
            return std::nullopt;
        d.exponent += exponent;
        i = static_cast<std::size_t>(end - text.data());
    }
    return any && i == text.size() ? std::optional(d) : std::nullopt;
}

std::optional<std::int64_t> scaled(Decimal d, int shift) noexcept
{
    d.exponent += shift;
    bool up = d.halfUp && d.exponent == 0;
    for (; d.exponent < 0 && d.digits > 0; ++d.exponent) {
        up = d.digits % 10 >= 5;
        d.digits /= 10;
    }
    if (d.exponent < 0)
        up = false;
    for (; d.exponent > 0 && d.digits > 0; --d.exponent) {
        if (d.digits > std::numeric_limits<std::uint64_t>::max() / 10)
            return std::nullopt;
        d.digits *= 10;
    }
    d.digits += up ? 1 : 0;
    if (d.digits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    const auto value = static_cast<std::int64_t>(d.digits);
    return d.negative ? -value : value;
}

// What nearly all numbers are: up to 19 digits, maybe with a point among them. The rest is left to readDecimal().
struct PlainDecimal
{
    std::uint64_t digits = 0;
    std::size_t decimals = 0; // digits behind the point
    bool whole = false; // the text is such a number
};

// Eight digits at once, and whether that's what they are.
[[gnu::always_inline]] inline bool eightDigits(const char *at, std::uint64_t &value)
{
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, at, sizeof chunk);
    if constexpr (std::endian::native != std::endian::little)
        return false;
    const std::uint64_t digits = chunk - 0x3030303030303030;
    if (((digits + 0x7676767676767676) | chunk | digits) & 0x8080808080808080)
        return false;
    // Neighbours are joined: to pairs, to fours, to the whole.
    const std::uint64_t pairs = (digits * 10 + (digits >> 8U)) & 0x00FF00FF00FF00FF;
    const std::uint64_t fours = (pairs * 100 + (pairs >> 16U)) & 0x0000FFFF0000FFFF;
    value = (fours * 10000 + (fours >> 32U)) & 0xFFFFFFFF;
    return true;
}

[[gnu::always_inline]] inline PlainDecimal readPlain(std::string_view text) noexcept
{
    constexpr std::size_t kMostDigits = 19, kNoPoint = std::string_view::npos;
    PlainDecimal d;
    if (text.empty() || text.size() > kMostDigits + 1 || !isDigit(text.front()) || !isDigit(text.back()))
        return d;
    std::size_t point = kNoPoint;
    std::size_t i = text.size() >= 8 && eightDigits(text.data(), d.digits) ? 8 : 0;
    for (; i < text.size(); ++i) {
        if (isDigit(text[i]))
            d.digits = d.digits * 10 + static_cast<unsigned>(text[i] - '0');
        else if (text[i] == '.' && point == kNoPoint)
            point = i;
        else
            return d;
    }
    d.decimals = point == kNoPoint ? 0 : text.size() - 1 - point;
    d.whole = point != kNoPoint || text.size() <= kMostDigits;
    return d;
}

// Digits that an int64 holds; after × 1000 too, if `scale` is that.
bool fits(const PlainDecimal &plain, std::uint64_t scale = 1)
{
    return plain.whole && plain.digits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / scale;
}

void appendUtf8(std::string &out, std::uint32_t code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at)
{
    std::uint32_t value = 0;
    if (at + 4 > text.size())
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
    return error == std::errc() && end == text.data() + at + 4 ? std::optional(value) : std::nullopt;
}

// Decodes \uXXXX at text[at], and the second half of a surrogate pair; returns the bytes read, 0 if it is none.
std::size_t appendUnicode(std::string_view text, std::size_t at, std::string &out)
{
    const auto high = hex4(text, at + 2);
    if (!high)
        return 0;
    if (*high >= 0xD800 && *high < 0xDC00 && text.substr(at + 6, 2) == "\\u") {
        const auto low = hex4(text, at + 8);
        if (low && *low >= 0xDC00 && *low < 0xE000) {
            appendUtf8(out, 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00));
            return 12;
        }
    }
    appendUtf8(out, *high >= 0xD800 && *high < 0xE000 ? 0xFFFD : *high);
    return 6;
}

bool unescape(std::string_view raw, std::string &out)
{
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    for (std::size_t i = 0; i < raw.size();) {
        if (raw[i] != '\\') {
            out += raw[i++];
            continue;
        }
        const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
        const std::size_t plain = kFrom.find(next);
        const std::size_t read = plain != std::string_view::npos ? 2 : next == 'u' ? appendUnicode(raw, i, out) : 0;
        if (read == 0)
            return false;
        if (plain != std::string_view::npos)
            out += kTo[plain];
        i += read;
    }
    return true;
}

// Length of the valid UTF-8 character at text[at], 0 if there is none.
std::size_t utf8Length(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1
        : lead >= 0xC2 && lead < 0xE0      ? 2
        : (lead & 0xF0) == 0xE0            ? 3
        : lead >= 0xF0 && lead < 0xF5      ? 4
                                           : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
    }
    const unsigned second = byte(at + 1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool outside = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
    return length > 2 && (overlong || outside) ? 0 : length;
}

} // namespace

std::optional<std::int64_t> microsecondsToNs(std::string_view token) noexcept
{
    constexpr std::array<std::uint64_t, 4> kScale{1000, 100, 10, 1};
    const PlainDecimal plain = readPlain(token);
    if (plain.decimals < kScale.size() && fits(plain, kScale[plain.decimals]))
        return static_cast<std::int64_t>(plain.digits * kScale[plain.decimals]);
    const auto decimal = readDecimal(unquoted(token));
    return decimal ? scaled(*decimal, 3) : std::nullopt;
}

std::optional<std::int64_t> toInt(std::string_view token) noexcept
{
    if (const PlainDecimal plain = readPlain(token); fits(plain) && plain.decimals == 0)
        return static_cast<std::int64_t>(plain.digits);
    const std::string_view text = unquoted(token);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty())
        return value;
    const auto decimal = readDecimal(text); // 1e3, 12.0
    return decimal ? scaled(*decimal, 0) : std::nullopt;
}

std::optional<std::uint64_t> toUnsigned(std::string_view token) noexcept
{
    if (const PlainDecimal plain = readPlain(token); plain.whole && plain.decimals == 0)
        return plain.digits;
    std::string_view text = unquoted(token);
    const int base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
    if (base == 16)
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty())
        return value;
    const auto integer = base == 10 ? toInt(token) : std::nullopt;
    return integer && *integer >= 0 ? std::optional(static_cast<std::uint64_t>(*integer)) : std::nullopt;
}

std::optional<double> toDouble(std::string_view token) noexcept
{
    // Both exact as doubles, so their quotient is the nearest double to the text: IEEE 754 rounds once.
    constexpr std::array kPowers{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const PlainDecimal plain = readPlain(token);
    if (plain.whole && plain.digits < (std::uint64_t{1} << 53U) && plain.decimals < kPowers.size())
        return static_cast<double>(plain.digits) / kPowers[plain.decimals];
    const std::string_view text = unquoted(token);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::uint64_t toId(std::string_view token) noexcept
{
    const std::string_view text = unquoted(token);
    if (text.empty() || text.front() == '-') // −1 is written for "none" too
        return 0;
    if (const auto number = toUnsigned(text))
        return *number;
    const bool word = text.size() == token.size() && text.front() != '{' && text.front() != '[';
    if (word && (text.front() < '0' || text.front() > '9')) // null, NaN
        return 0;
    return std::hash<std::string_view>{}(text) | (std::uint64_t{1} << 63U);
}

DecodedText decodeString(std::string_view token, std::string &scratch)
{
    const std::string_view raw = unquoted(token);
    if (raw.find('\\') == std::string_view::npos)
        return {raw, false, false};
    // "C:\temp" would be a tab and "emp": a path whose drive is followed by a single backslash was never escaped.
    const bool path = raw.size() > 3 && raw[1] == ':' && raw[2] == '\\' && raw[3] != '\\';
    scratch.clear();
    if (!path && unescape(raw, scratch))
        return {scratch, false, false};
    return {raw, true, false};
}

bool isUtf8(std::string_view text) noexcept
{
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8Length(text, i);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

DecodedText decodeUncheckedString(std::string_view token, std::string &scratch)
{
    DecodedText decoded = decodeString(token, scratch);
    decoded.control =
        std::any_of(token.begin(), token.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (isUtf8(decoded.text))
        return decoded;
    std::string repaired;
    for (std::size_t i = 0; i < decoded.text.size();) {
        const std::size_t length = utf8Length(decoded.text, i);
        repaired += length == 0 ? std::string_view("\xEF\xBF\xBD") : decoded.text.substr(i, length);
        i += length == 0 ? 1 : length;
    }
    scratch = std::move(repaired);
    return {scratch, true, decoded.control};
}

} // namespace tuneline::analysis::json
