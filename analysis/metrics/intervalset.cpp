// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/intervalset.h"

#include <algorithm>

namespace tuneline::analysis {

IntervalSet::IntervalSet(std::vector<Range> ranges)
{
    std::erase_if(ranges, [](const Range &r) { return r.end <= r.begin; });
    const auto byBegin = [](const Range &a, const Range &b) { return a.begin < b.begin; };
    if (!std::is_sorted(ranges.begin(), ranges.end(), byBegin))
        std::sort(ranges.begin(), ranges.end(), byBegin);
    m_ranges.reserve(ranges.size());
    for (const Range &r : ranges)
        append(r);
}

void IntervalSet::append(Range range)
{
    if (range.end <= range.begin)
        return;
    if (!m_ranges.empty() && range.begin <= m_ranges.back().end)
        m_ranges.back().end = std::max(m_ranges.back().end, range.end);
    else
        m_ranges.push_back(range);
}

IntervalSet IntervalSet::unite(const IntervalSet &other) const
{
    IntervalSet out;
    out.m_ranges.reserve(m_ranges.size() + other.m_ranges.size());
    auto a = m_ranges.begin();
    auto b = other.m_ranges.begin();
    while (a != m_ranges.end() || b != other.m_ranges.end()) {
        const bool takeA = b == other.m_ranges.end() || (a != m_ranges.end() && a->begin <= b->begin);
        out.append(takeA ? *a++ : *b++);
    }
    return out;
}

IntervalSet IntervalSet::subtract(const IntervalSet &other) const
{
    IntervalSet out;
    auto b = other.m_ranges.begin();
    for (Range rest : m_ranges) {
        while (b != other.m_ranges.end() && b->end <= rest.begin)
            ++b;
        for (auto cut = b; cut != other.m_ranges.end() && cut->begin < rest.end; ++cut) {
            out.append({rest.begin, cut->begin});
            rest.begin = std::max(rest.begin, cut->end);
        }
        out.append(rest);
    }
    return out;
}

IntervalSet IntervalSet::intersect(const IntervalSet &other) const
{
    IntervalSet out;
    auto a = m_ranges.begin();
    auto b = other.m_ranges.begin();
    while (a != m_ranges.end() && b != other.m_ranges.end()) {
        out.append({std::max(a->begin, b->begin), std::min(a->end, b->end)});
        (a->end < b->end) ? ++a : ++b;
    }
    return out;
}

IntervalSet IntervalSet::clip(Range window) const
{
    IntervalSet out;
    auto it =
        std::partition_point(m_ranges.begin(), m_ranges.end(), [&](const Range &r) { return r.end <= window.begin; });
    for (; it != m_ranges.end() && it->begin < window.end; ++it)
        out.append({std::max(it->begin, window.begin), std::min(it->end, window.end)});
    return out;
}

IntervalSet IntervalSet::complement(Range window) const
{
    IntervalSet all;
    all.append(window);
    return all.subtract(*this);
}

std::int64_t IntervalSet::length() const noexcept
{
    std::int64_t sum = 0;
    for (const Range &r : m_ranges)
        sum += r.length();
    return sum;
}

std::int64_t IntervalSet::lengthIn(Range window) const noexcept
{
    std::int64_t sum = 0;
    auto it =
        std::partition_point(m_ranges.begin(), m_ranges.end(), [&](const Range &r) { return r.end <= window.begin; });
    for (; it != m_ranges.end() && it->begin < window.end; ++it)
        sum += std::min(it->end, window.end) - std::max(it->begin, window.begin);
    return sum;
}

} // namespace tuneline::analysis
