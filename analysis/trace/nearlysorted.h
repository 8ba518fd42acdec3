// SPDX-License-Identifier: GPL-3.0-or-later
// A stable sort for what is in order but for a few elements, or made of a few ordered lists one behind another: as what
// profilers write. One pass where everything is in order.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace tuneline::analysis {

template <typename Iterator, typename Less>
void sortNearlySorted(Iterator from, Iterator to, const Less &less, unsigned attempts = 8)
{
    const Iterator disorder = std::is_sorted_until(from, to, less);
    if (disorder == to)
        return;
    if (attempts == 0) {
        std::stable_sort(from, to, less);
        return;
    }
    // What is smaller than something before it is put behind the rest, sorted likewise, and merged into it.
    std::vector<typename std::iterator_traits<Iterator>::value_type> aside;
    Iterator kept = disorder;
    for (Iterator at = disorder; at != to; ++at) {
        if (less(*at, *std::prev(kept)))
            aside.push_back(*at);
        else
            *kept++ = *at;
    }
    std::copy(aside.begin(), aside.end(), kept);
    aside = {};
    sortNearlySorted(kept, to, less, attempts - 1);
    std::inplace_merge(from, kept, to, less);
}

} // namespace tuneline::analysis
