// SPDX-License-Identifier: GPL-3.0-or-later
// A set of instants as sorted, disjoint, non-empty half-open ranges [begin, end) in ns. Every operation is linear in
// the number of ranges; building from unsorted ranges sorts. A value type: any thread, each its own.
#pragma once

#include <cstdint>
#include <vector>

namespace tuneline::analysis {

struct Range
{
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t length() const noexcept { return end - begin; }
    bool operator==(const Range &) const noexcept = default;
};

class IntervalSet
{
public:
    IntervalSet() = default;
    // Any order, overlapping, empty or backward ranges: all fine.
    explicit IntervalSet(std::vector<Range> ranges);

    // Appends a range that begins at or after every range so far; merges it with the last where they touch.
    void append(Range range);

    [[nodiscard]] IntervalSet unite(const IntervalSet &other) const;
    [[nodiscard]] IntervalSet subtract(const IntervalSet &other) const;
    [[nodiscard]] IntervalSet intersect(const IntervalSet &other) const;
    [[nodiscard]] IntervalSet clip(Range window) const;
    [[nodiscard]] IntervalSet complement(Range window) const; // window − this

    [[nodiscard]] std::int64_t length() const noexcept;
    [[nodiscard]] std::int64_t lengthIn(Range window) const noexcept; // O(log n + touched)
    [[nodiscard]] bool empty() const noexcept { return m_ranges.empty(); }
    [[nodiscard]] const std::vector<Range> &ranges() const noexcept { return m_ranges; }
    bool operator==(const IntervalSet &) const noexcept = default;

private:
    std::vector<Range> m_ranges;
};

} // namespace tuneline::analysis
