// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers out of other people's JSON, which may be of any size and kind.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace tuneline::analysis {

// The member of that name as a T; `unknown` where there is none, or none that a T can hold.
template <typename T> [[nodiscard]] T numberIn(const nlohmann::json &object, const char *key, T unknown)
{
    const auto member = object.find(key);
    if (member != object.end() && member->is_string()) { // some writers put all numbers in quotes
        constexpr std::size_t kLongest = 40;
        const std::string &said = member->template get_ref<const std::string &>();
        const auto text = said.size() > kLongest ? nlohmann::json() : nlohmann::json::parse(said, nullptr, false);
        return text.is_number() ? numberIn(nlohmann::json{{key, text}}, key, unknown) : unknown;
    }
    if (member == object.end() || !member->is_number())
        return unknown;
    if constexpr (std::is_floating_point_v<T>) {
        return member->template get<T>();
    } else {
        if (member->is_number_unsigned())
            return std::in_range<T>(member->template get<std::uint64_t>()) ? member->template get<T>() : unknown;
        if (member->is_number_integer())
            return std::in_range<T>(member->template get<std::int64_t>()) ? member->template get<T>() : unknown;
        const double value = member->template get<double>();
        constexpr double kExact = 9007199254740992.0; // 2^53: a double above it is no certain integer
        return std::abs(value) <= kExact && std::in_range<T>(static_cast<std::int64_t>(value)) ? static_cast<T>(value)
                                                                                               : unknown;
    }
}

} // namespace tuneline::analysis
