// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/memory.h"

#include <algorithm>
#include <unordered_set>

namespace tuneline::analysis {

namespace {

// Frees of blocks that were allocated before the first event.
struct Unmatched
{
    std::uint64_t frees = 0;
    std::int64_t bytes = 0;
};

Unmatched unmatchedFrees(const MemoryTrack &track)
{
    Unmatched u;
    std::unordered_set<std::uint64_t> live;
    for (std::size_t i = 0; i < track.bytes.size(); ++i) {
        if (track.bytes[i] >= 0) {
            live.insert(track.address[i]);
        } else if (live.erase(track.address[i]) == 0) {
            ++u.frees;
            u.bytes -= track.bytes[i];
        }
    }
    return u;
}

MemoryCurve curveOf(const MemoryTrack &track)
{
    MemoryCurve c;
    c.source = track.source;
    c.device = track.device;
    const Unmatched unmatched = unmatchedFrees(track);
    c.unmatchedFrees = unmatched.frees;
    const bool stated = !track.allocated.empty() && track.allocated.front() != kUnknown;
    c.startBytes = stated ? track.allocated.front() - track.bytes.front() : unmatched.bytes;
    c.peakBytes = c.startBytes;
    c.peakTime = track.time.empty() ? 0 : track.time.front();
    c.time = track.time;
    c.allocated.reserve(track.time.size());
    std::int64_t now = c.startBytes;
    for (std::size_t i = 0; i < track.time.size(); ++i) {
        now = i < track.allocated.size() && track.allocated[i] != kUnknown ? track.allocated[i] : now + track.bytes[i];
        c.allocated.push_back(now);
        if (now > c.peakBytes) {
            c.peakBytes = now;
            c.peakTime = track.time[i];
        }
        if (i < track.reserved.size())
            c.peakReservedBytes = std::max(c.peakReservedBytes, track.reserved[i]);
    }
    c.endBytes = now;
    return c;
}

} // namespace

std::vector<MemoryCurve> memoryCurves(const Trace &trace)
{
    std::vector<MemoryCurve> curves;
    for (const MemoryTrack &track : trace.memory) {
        if (!track.time.empty())
            curves.push_back(curveOf(track));
    }
    return curves;
}

} // namespace tuneline::analysis
