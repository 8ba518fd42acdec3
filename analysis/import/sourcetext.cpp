// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/sourcetext.h"

#include "analysis/import/gzipstream.h"
#include "analysis/import/mappedfile.h"
#include "analysis/import/textencoding.h"

#include <algorithm>
#include <vector>

namespace tuneline::analysis {
namespace {

std::string inflatedPart(std::string_view compressed, std::uint64_t from, std::size_t bytes)
{
    std::vector<char> piece(std::size_t{1} << 20U);
    GzipStream stream(compressed);
    std::string text;
    std::uint64_t at = 0;
    for (std::size_t got = stream.read(piece); got > 0 && text.size() < bytes; got = stream.read(piece)) {
        if (at + got > from) {
            const std::size_t skip = from > at ? static_cast<std::size_t>(from - at) : 0;
            text.append(piece.data() + skip, std::min(got - skip, bytes - text.size()));
        }
        at += got;
    }
    return text;
}

std::string part(std::string_view text, std::uint64_t from, std::size_t bytes)
{
    return from < text.size() ? std::string(text.substr(static_cast<std::size_t>(from), bytes)) : std::string();
}

} // namespace

std::string sourceText(const std::filesystem::path &file, std::uint64_t offset, std::size_t before, std::size_t after,
                       std::uint64_t *begins)
{
    const std::uint64_t from = offset - std::min<std::uint64_t>(offset, before);
    if (begins != nullptr)
        *begins = from;
    const auto bytes = static_cast<std::size_t>(offset - from) + after;
    const auto mapped = MappedFile::open(file);
    if (!mapped)
        return {};
    const std::string_view data = mapped->view();
    if (GzipStream::isGzip(data))
        return inflatedPart(data, from, bytes);
    if (const auto encoding = foreignEncoding(data.substr(0, 4)))
        return part(toUtf8(data, *encoding), from, bytes);
    return part(data, from, bytes);
}

} // namespace tuneline::analysis
