// SPDX-License-Identifier: GPL-3.0-or-later
// Trace::argsText: arguments stay in the file until somebody asks for them.
#include "analysis/import/gzipstream.h"
#include "analysis/import/jsonscan.h"
#include "analysis/import/mappedfile.h"
#include "analysis/import/textencoding.h"
#include "analysis/trace/trace.h"

#include <algorithm>
#include <vector>

namespace tuneline::analysis {
namespace {

constexpr std::size_t kMaxEventBytes = std::size_t{1} << 22U;

// The text from `offset` on, as far as an event may reach.
std::string inflatedAt(std::string_view compressed, std::uint64_t offset)
{
    std::vector<char> piece(std::size_t{1} << 20U);
    GzipStream stream(compressed);
    std::string text;
    std::uint64_t at = 0;
    for (std::size_t got = stream.read(piece); got > 0 && text.size() < kMaxEventBytes; got = stream.read(piece)) {
        if (at + got > offset)
            text.append(piece.data() + (offset > at ? offset - at : 0), piece.data() + got);
        at += got;
    }
    return text;
}

std::string textAt(const std::string &file, std::uint64_t offset)
{
    const auto mapped = MappedFile::open(file);
    if (!mapped)
        return {};
    const std::string_view data = mapped->view();
    if (GzipStream::isGzip(data))
        return inflatedAt(data, offset);
    if (const auto encoding = foreignEncoding(data.substr(0, 4))) {
        const std::string text = toUtf8(data, *encoding);
        return offset < text.size() ? text.substr(offset, kMaxEventBytes) : std::string();
    }
    return offset < data.size() ? std::string(data.substr(offset, kMaxEventBytes)) : std::string();
}

} // namespace

std::string Trace::argsText(EventId e) const
{
    const Source &source = sources[laneOf(e).source.value];
    if (source.format != SourceFormat::KinetoJson && source.format != SourceFormat::ChromeJson)
        return {}; // what records and tables say is in the detail tables
    const std::string text = textAt(source.file, events.argsOffset[e.value]);
    if (text.empty() || text.front() != '{')
        return {};
    json::JsonEvent event;
    std::size_t end = 0;
    if (json::readEvent(text, 0, json::Reading::Strict, event, end))
        return std::string(event.argsText);
    const std::size_t next = json::nextEvent(text, 1);
    const std::string_view own = std::string_view(text).substr(0, next);
    return json::readEvent(own, 0, json::Reading::Lenient, event, end) ? std::string(event.argsText) : std::string();
}

} // namespace tuneline::analysis
