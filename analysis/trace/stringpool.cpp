// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/stringpool.h"

namespace tuneline::analysis {

StringPool::StringPool()
{
    intern({});
}

StringId StringPool::intern(std::string_view text)
{
    if (const auto known = m_ids.find(text); known != m_ids.end())
        return known->second;
    const StringId id{m_strings.size()};
    m_ids.emplace(m_strings.emplace_back(text), id);
    return id;
}

StringId StringPool::find(std::string_view text) const
{
    const auto known = m_ids.find(text);
    return known == m_ids.end() ? StringId{} : known->second;
}

} // namespace tuneline::analysis
