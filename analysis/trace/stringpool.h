// SPDX-License-Identifier: GPL-3.0-or-later
// Interned strings: one copy each, 32-bit ids. Id 0 is the empty string. Adding is for one thread at a time (importers
// with several threads intern per thread and merge); a pool inside a published Trace is read-only and free for all.
#pragma once

#include "analysis/trace/ids.h"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tuneline::analysis {

class StringPool
{
public:
    StringPool();
    StringId intern(std::string_view text);
    [[nodiscard]] StringId find(std::string_view text) const; // invalid id if it was never interned
    [[nodiscard]] std::string_view view(StringId id) const noexcept // valid as long as the pool; "" for an invalid id
    {
        return id.value < m_strings.size() ? std::string_view(m_strings[id.value]) : std::string_view();
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_strings.size(); }

private:
    std::deque<std::string> m_strings; // a deque: views stay valid while it grows
    std::unordered_map<std::string_view, StringId> m_ids;
};

} // namespace tuneline::analysis
