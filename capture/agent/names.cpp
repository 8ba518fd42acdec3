// SPDX-License-Identifier: MIT
#include "capture/agent/names.h"

#include <cstring>

namespace tuneline::agent {

NameTable &NameTable::instance() noexcept
{
    static NameTable &table = *new NameTable;
    return table;
}

NameTable::NameTable()
{
    m_full = add(kFull);
}

Name NameTable::add(std::string_view text)
{
    const std::string &kept = m_texts.emplace_back(text);
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_ids.emplace(kept, id);
    m_bytes += kept.size();
    return {id, kept.data(), static_cast<std::uint32_t>(kept.size())};
}

Name NameTable::intern(std::string_view text) noexcept
{
    text = text.substr(0, kMaxLength);
    try {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_ids.find(text); found != m_ids.end())
            return {found->second, found->first.data(), static_cast<std::uint32_t>(text.size())};
        if (m_texts.size() >= kMaxNames || m_bytes >= kMaxBytes) {
            ++m_refused;
            return m_full;
        }
        return add(text);
    } catch (...) {
        return {};
    }
}

std::vector<std::byte> NameTable::stringsPayload(std::uint32_t &from, std::size_t maxBytes)
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::byte> payload;
    if (from >= m_texts.size())
        return payload;
    const auto append = [&payload](const void *data, std::size_t bytes) {
        const std::size_t at = payload.size();
        payload.resize(at + bytes);
        std::memcpy(payload.data() + at, data, bytes);
    };
    const std::uint32_t first = from + 1;
    std::uint32_t count = 0;
    append(&first, sizeof first);
    append(&count, sizeof count);
    while (from < m_texts.size() && payload.size() < maxBytes) {
        const std::string &text = m_texts[from++];
        const auto bytes = static_cast<std::uint32_t>(text.size());
        append(&bytes, sizeof bytes);
        append(text.data(), bytes);
        ++count;
    }
    std::memcpy(payload.data() + sizeof first, &count, sizeof count);
    return payload;
}

} // namespace tuneline::agent
