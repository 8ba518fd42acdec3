// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/spanpyramid.h"

#include <algorithm>

namespace tuneline::ui {

namespace {

SpanPyramid::Node merged(std::span<const SpanPyramid::Node> children)
{
    SpanPyramid::Node node = children.front();
    for (const SpanPyramid::Node &child : children.subspan(1)) {
        node.end = std::max(node.end, child.end);
        node.busyNs += child.busyNs;
        node.count += child.count;
        if (child.dominantNs > node.dominantNs) {
            node.dominantNs = child.dominantNs;
            node.longest = child.longest;
        }
    }
    return node;
}

} // namespace

SpanPyramid::SpanPyramid(std::vector<Span> spans)
    : m_spans(std::move(spans))
{
    std::vector<Node> below;
    below.reserve(m_spans.size());
    for (std::uint32_t i = 0; i < m_spans.size(); ++i) {
        const std::int64_t length = m_spans[i].end - m_spans[i].start;
        below.push_back({m_spans[i].start, m_spans[i].end, length, length, 1, i});
    }
    while (below.size() > 1) {
        std::vector<Node> level;
        level.reserve(below.size() / kFanOut + 1);
        for (std::size_t i = 0; i < below.size(); i += kFanOut)
            level.push_back(merged(std::span(below).subspan(i, std::min<std::size_t>(kFanOut, below.size() - i))));
        m_levels.push_back(level);
        below = std::move(level);
    }
}

} // namespace tuneline::ui
