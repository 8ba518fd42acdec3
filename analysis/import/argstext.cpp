// SPDX-License-Identifier: GPL-3.0-or-later
// Trace::argsText: arguments stay in the file until somebody asks for them.
#include "analysis/import/jsonscan.h"
#include "analysis/import/sourcetext.h"
#include "analysis/trace/trace.h"

namespace tuneline::analysis {

constexpr std::size_t kMaxEventBytes = std::size_t{1} << 22U;

std::string Trace::argsText(EventId e) const
{
    const Source &source = sources[laneOf(e).source.value];
    if (source.format != SourceFormat::KinetoJson && source.format != SourceFormat::ChromeJson)
        return {}; // what records and tables say is in the detail tables
    const std::string text = sourceText(source.file, events.argsOffset[e.value], 0, kMaxEventBytes);
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
