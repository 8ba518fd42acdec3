// SPDX-License-Identifier: GPL-3.0-or-later
// The ids of texts that were seen lately: the same few hundred names and shapes stand in millions of events, and to
// hash and look up each of them whole costs as much as finding it in the file. One thread.
#pragma once

#include "analysis/trace/stringpool.h"

#include <array>
#include <cstring>

namespace tuneline::analysis::json {

class TokenCache
{
public:
    // The id that was put in for this very text; invalid if it isn't here any more.
    [[nodiscard]] StringId find(std::string_view text) const noexcept
    {
        const Entry &entry = m_entries[placeOf(text)];
        return entry.text == text && entry.id.valid() ? entry.id : StringId();
    }
    // `text` must live as long as the cache.
    void put(std::string_view text, StringId id) noexcept { m_entries[placeOf(text)] = {text, id}; }

private:
    struct Entry
    {
        std::string_view text;
        StringId id;
    };
    static constexpr unsigned kBits = 11;

    template <typename T> [[nodiscard]] static std::uint64_t load(const char *at) noexcept
    {
        T value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    // From its ends and its middle only: long kernel names differ there, and what collides is just looked up again.
    [[nodiscard]] static std::size_t placeOf(std::string_view text) noexcept
    {
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL; // 2^64 / golden ratio: spreads what differs to the top
        const std::size_t size = text.size();
        const char *from = text.data();
        std::uint64_t mix = size * kOdd;
        if (size >= 8) {
            mix = (mix ^ load<std::uint64_t>(from)) * kOdd;
            mix = (mix ^ load<std::uint64_t>(from + size / 2 - 4)) * kOdd;
            mix ^= load<std::uint64_t>(from + size - 8);
        } else if (size >= 4) {
            mix ^= load<std::uint32_t>(from) << 32U | load<std::uint32_t>(from + size - 4);
        } else if (size > 0) {
            mix ^= load<std::uint8_t>(from) << 16U | load<std::uint8_t>(from + size / 2) << 8U
                | load<std::uint8_t>(from + size - 1);
        }
        mix ^= mix >> 32U;
        return (mix * kOdd) >> (64U - kBits);
    }

    std::array<Entry, std::size_t{1} << kBits> m_entries{};
};

} // namespace tuneline::analysis::json
