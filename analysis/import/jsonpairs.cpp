// SPDX-License-Identifier: GPL-3.0-or-later
// Merger's begin/end pairs.
#include "analysis/import/jsonmerge.h"
#include "analysis/trace/saturate.h"

#include <algorithm>
#include <tuple>

namespace tuneline::analysis::json {

void Merger::addPair(const HalfEvent &begin, const HalfEvent *end)
{
    RawEvent event = begin.event;
    event.duration = end != nullptr ? saturatedDifference(end->event.start, begin.event.start) : 0;
    event.flags = end != nullptr ? 0 : EventFlag::kUnfinished;
    if (end != nullptr) { // arguments may stand at either half
        event.name = event.name == StringId{0U} ? end->event.name : event.name;
        event.correlation = event.correlation == 0 ? end->event.correlation : event.correlation;
        event.externalId = event.externalId == 0 ? end->event.externalId : event.externalId;
        if (event.detail == Id<EventTag>::kNone && end->event.kind == event.kind)
            event.detail = end->event.detail;
    }
    if (event.name == StringId{0U})
        event.name = m_builder.strings().intern("(no name)");
    m_builder.add(event);
    if (end == nullptr)
        m_builder.report().add("begin-without-end", Severity::Warning,
                               {static_cast<std::int64_t>(event.argsOffset), -1,
                                std::string(m_builder.strings().view(event.name)) + ": drawn to the end of the trace"});
}

// Of one thread or one async id. An end closes the innermost open begin, or the innermost of its name if it has one.
void Merger::matchTrack(std::vector<HalfEvent>::const_iterator from, std::vector<HalfEvent>::const_iterator to)
{
    std::vector<const HalfEvent *> open;
    for (auto half = from; half != to; ++half) {
        if (half->begin) {
            open.push_back(&*half);
            continue;
        }
        const auto fits = [&](const HalfEvent *b) {
            return half->event.name == StringId{0U} || b->event.name == half->event.name;
        };
        auto named = std::find_if(open.rbegin(), open.rend(), fits);
        if (named == open.rend())
            named = open.rbegin();
        if (named == open.rend()) {
            m_builder.report().add("end-without-begin", Severity::Warning,
                                   {static_cast<std::int64_t>(half->event.argsOffset), -1,
                                    "an end without a begin on its row is left out"});
            continue;
        }
        addPair(**named, &*half);
        open.erase(std::next(named).base());
    }
    for (const HalfEvent *begin : open)
        addPair(*begin, nullptr);
}

void Merger::matchHalves()
{
    const auto track = [](const HalfEvent &h) { return std::tuple(h.event.kind == EventKind::Async, h.id); };
    std::stable_sort(m_halves.begin(), m_halves.end(), [&](const HalfEvent &a, const HalfEvent &b) {
        return std::tuple(track(a), a.event.start) < std::tuple(track(b), b.event.start);
    });
    for (auto from = m_halves.cbegin(); from != m_halves.cend();) {
        const auto to =
            std::find_if(from, m_halves.cend(), [&](const HalfEvent &h) { return track(h) != track(*from); });
        matchTrack(from, to);
        from = to;
    }
    m_halves.clear();
}

} // namespace tuneline::analysis::json
