// SPDX-License-Identifier: GPL-3.0-or-later
// Elements in the order in which they were added, one by one or many at once where they lie: a list of runs.
#pragma once

#include "analysis/trace/slab.h"

#include <memory>
#include <span>
#include <vector>

namespace tuneline::analysis {

template <typename T> class Runs
{
public:
    void push(const T &value)
    {
        T *placed = &m_own->push(value);
        const bool follows = m_open && m_list.back().data() + m_list.back().size() == placed;
        if (follows)
            m_list.back() = {m_list.back().data(), m_list.back().size() + 1};
        else
            m_list.emplace_back(placed, 1);
        m_open = true;
    }
    // They stay where they are, and must stay there as long as this.
    void append(std::span<T> values)
    {
        m_open = false;
        if (!values.empty())
            m_list.push_back(values);
    }
    void close() { m_open = false; } // the next element begins a run
    [[nodiscard]] const std::vector<std::span<T>> &list() const noexcept { return m_list; }
    [[nodiscard]] const std::shared_ptr<Slab<T>> &own() const noexcept { return m_own; } // what was pushed

private:
    std::shared_ptr<Slab<T>> m_own = std::make_shared<Slab<T>>();
    std::vector<std::span<T>> m_list;
    bool m_open = false; // the last run is our own
};

} // namespace tuneline::analysis
