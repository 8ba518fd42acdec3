// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/textencoding.h"

#include <algorithm>
#include <cerrno>
#include <iconv.h>
#include <utility>

namespace tuneline::analysis {
namespace {

// The zero bytes around the first character, which is a bracket or white space in JSON.
std::optional<TextEncoding> unmarkedEncoding(std::string_view head)
{
    if (head.size() < 4)
        return std::nullopt;
    std::string zeros;
    char first = '\0';
    for (const char c : head) {
        zeros += c == '\0' ? '0' : 'x';
        first = first == '\0' ? c : first;
    }
    if (std::string_view("{[ \t\r\n").find(first) == std::string_view::npos)
        return std::nullopt;
    constexpr std::pair<std::string_view, const char *> kPatterns[]{
        {"x0x0", "UTF-16LE"}, {"0x0x", "UTF-16BE"}, {"x000", "UTF-32LE"}, {"000x", "UTF-32BE"}};
    for (const auto &[pattern, name] : kPatterns) {
        if (zeros == pattern)
            return TextEncoding{name, 0};
    }
    return std::nullopt;
}

} // namespace

std::optional<TextEncoding> foreignEncoding(std::string_view head)
{
    using namespace std::string_view_literals;
    if (head.starts_with("\xFF\xFE\0\0"sv))
        return TextEncoding{"UTF-32LE", 4};
    if (head.starts_with("\0\0\xFE\xFF"sv))
        return TextEncoding{"UTF-32BE", 4};
    if (head.starts_with("\xFF\xFE"sv))
        return TextEncoding{"UTF-16LE", 2};
    if (head.starts_with("\xFE\xFF"sv))
        return TextEncoding{"UTF-16BE", 2};
    return unmarkedEncoding(head.substr(0, 4));
}

std::string toUtf8(std::string_view text, const TextEncoding &encoding)
{
    text.remove_prefix(encoding.markBytes);
    std::string out;
    const iconv_t converter = ::iconv_open("UTF-8", encoding.name);
    if (converter == reinterpret_cast<iconv_t>(-1))
        return out;
    char *in = const_cast<char *>(text.data()); // iconv does not write there
    std::size_t inLeft = text.size();
    std::size_t used = 0;
    const std::size_t unit = encoding.name[4] == '3' ? 4 : 2;
    while (inLeft > 0) {
        out.resize(used + std::max<std::size_t>(inLeft + 64, 4096));
        char *to = out.data() + used;
        std::size_t room = out.size() - used;
        const std::size_t result = ::iconv(converter, &in, &inLeft, &to, &room);
        used = static_cast<std::size_t>(to - out.data());
        if (result == static_cast<std::size_t>(-1) && errno != E2BIG) {
            if (errno == EINVAL && inLeft < 2 * unit)
                break; // cut inside its last character
            out.resize(used);
            out += "\xEF\xBF\xBD";
            used = out.size();
            const std::size_t skip = std::min(unit, inLeft);
            in += skip;
            inLeft -= skip;
        }
    }
    ::iconv_close(converter);
    out.resize(used);
    return out;
}

} // namespace tuneline::analysis
