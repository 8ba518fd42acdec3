// SPDX-License-Identifier: MIT
// The texts of a capture: each gets an id, once for the life of the process (so caches in host threads never go stale).
// intern() takes a lock: host threads come here only when their own cache misses. Never destroyed: host threads may
// still record while the process exits.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tuneline::agent {

struct Name
{
    std::uint32_t id = 0;
    const char *text = nullptr; // stable
    std::uint32_t length = 0;
};

class NameTable
{
public:
    static NameTable &instance() noexcept;

    // Any thread. Id 0 when out of memory; the id of kFull when the table is (a program that makes up names for ever).
    Name intern(std::string_view text) noexcept;

    // Writer side: the payload of a Strings frame with all names from `from` on, at most about maxBytes; empty if there
    // are none. `from` moves on behind them.
    std::vector<std::byte> stringsPayload(std::uint32_t &from, std::size_t maxBytes);

    [[nodiscard]] std::uint64_t refused() const noexcept { return m_refused; }

    static constexpr std::string_view kFull = "(too many different names)";
    static constexpr std::size_t kMaxNames = 200'000;
    static constexpr std::size_t kMaxBytes = 32U << 20;
    static constexpr std::size_t kMaxLength = 8192;

private:
    NameTable();
    Name add(std::string_view text);

    std::mutex m_mutex;
    std::deque<std::string> m_texts; // id − 1 → text; a deque keeps the texts where they are
    std::unordered_map<std::string_view, std::uint32_t> m_ids;
    std::size_t m_bytes = 0;
    Name m_full;
    std::uint64_t m_refused = 0;
};

} // namespace tuneline::agent
