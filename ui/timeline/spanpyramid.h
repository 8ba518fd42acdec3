// SPDX-License-Identifier: GPL-3.0-or-later
// Coloured spans that are no events (idle pieces, steps), sorted by start and disjoint, with the same ×16 pyramid that
// analysis::Lod has for events. Built by any thread, then immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tuneline::ui {

struct Span
{
    std::int64_t start = 0, end = 0; // ns
    std::uint32_t style = 0; // whatever the owner makes of it
};

class SpanPyramid
{
public:
    static constexpr std::uint32_t kFanOut = 16;
    struct Node
    {
        std::int64_t start = 0, end = 0, busyNs = 0, dominantNs = 0;
        std::uint32_t count = 0;
        std::uint32_t longest = 0; // index of the longest span
    };

    SpanPyramid() = default;
    explicit SpanPyramid(std::vector<Span> spans); // sorted by start

    [[nodiscard]] const std::vector<Span> &spans() const noexcept { return m_spans; }
    [[nodiscard]] std::uint32_t levels() const noexcept { return static_cast<std::uint32_t>(m_levels.size()); }
    [[nodiscard]] std::span<const Node> level(std::uint32_t level) const { return m_levels[level - 1]; } // 1 … levels()

private:
    std::vector<Span> m_spans;
    std::vector<std::vector<Node>> m_levels;
};

} // namespace tuneline::ui
