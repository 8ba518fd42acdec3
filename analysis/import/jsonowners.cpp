// SPDX-License-Identifier: GPL-3.0-or-later
// Merger's share in our own export of several ranks: one document, whose header says whose each process was.
#include "analysis/import/jsonheader.h"
#include "analysis/import/jsonmerge.h"

#include <algorithm>

namespace tuneline::analysis::json {
namespace {

// "" = the document has no such key. The last one counts, as for all keys.
std::string_view ownHeader(std::span<const Merger::Item> document)
{
    std::string_view own;
    for (std::size_t i = 0; i < document.size() && (i == 0 || !document[i].batch->beginsDocument); ++i) {
        for (const auto &[key, text] : document[i].batch->headers) {
            if (key == "tuneline")
                own = text;
        }
    }
    return own;
}

} // namespace

void Merger::learnOwners(std::span<const Item> document)
{
    std::vector<WrittenSource> written = readWrittenSources(ownHeader(document));
    const bool named = std::ranges::any_of(written, [](const WrittenSource &w) { return !w.pids.empty(); });
    if (!named)
        return;
    m_sources.clear();
    for (WrittenSource &one : written) {
        Source &source = one.source;
        source.file = m_file.string();
        if (m_sources.empty())
            m_builder.source(m_source) = std::move(source);
        m_sources.push_back(m_sources.empty() ? m_source : m_builder.addSource(std::move(source)));
        for (auto &[number, pid] : one.pids)
            m_owners.try_emplace(m_builder.strings().intern(number), Owner{m_sources.back(), std::move(pid)});
    }
}

SourceId Merger::sourceOf(StringId pid) const
{
    const auto owner = m_owners.find(pid);
    return owner == m_owners.end() ? m_source : owner->second.source;
}

void Merger::addEvents(std::span<RawEvent> events, const Remap &remap)
{
    if (m_owners.empty())
        return m_builder.addEvents(events);
    // A run is of one source.
    const auto sourceOfEvent = [&](const RawEvent &event) {
        return m_builder.trace().lanes[remap.lanes[event.lane.value].value].source;
    };
    while (!events.empty()) {
        const SourceId source = sourceOfEvent(events.front());
        const auto end =
            std::ranges::find_if(events, [&](const RawEvent &event) { return sourceOfEvent(event) != source; });
        const auto size = static_cast<std::size_t>(end - events.begin());
        m_builder.addEvents(events.first(size));
        events = events.subspan(size);
    }
}

} // namespace tuneline::analysis::json
