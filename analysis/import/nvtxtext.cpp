// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/nvtxtext.h"

#include <algorithm>
#include <charconv>

namespace tuneline::analysis {
namespace {

bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isWord(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), isWordCharacter);
}

// "aten::add_", "c10d::allreduce_": a lower-case name space, as operators are registered; "FSDP::pre_forward (x)" is
// none.
bool isQualifiedOperator(std::string_view name)
{
    const std::size_t colons = name.find("::");
    if (colons == std::string_view::npos || colons == 0)
        return false;
    const std::string_view space = name.substr(0, colons), rest = name.substr(colons + 2);
    const auto plain = [](char c) { return isWordCharacter(c) || c == '.'; };
    return std::none_of(space.begin(), space.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) && isWord(space)
        && !rest.empty() && std::all_of(rest.begin(), rest.end(), plain);
}

template <typename Number> Number numberBehind(std::string_view text, std::string_view key, Number unknown)
{
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return unknown;
    Number value = unknown;
    const char *from = text.data() + at + key.size();
    const auto [end, error] = std::from_chars(from, text.data() + text.size(), value);
    return error == std::errc() ? value : unknown;
}

} // namespace

NvtxText parseNvtxText(std::string_view text) noexcept
{
    NvtxText parsed;
    constexpr std::string_view kSequence = ", seq = ", kId = ", op_id = ", kSizes = ", sizes = [";
    parsed.name = text.substr(0, std::min({text.find(kSequence), text.find(kId), text.find(kSizes)}));
    const std::string_view rest = text.substr(parsed.name.size());
    parsed.sequence = numberBehind<std::int64_t>(rest, kSequence, -1);
    parsed.opId = numberBehind<std::uint32_t>(rest, kId, 0);
    if (const std::size_t sizes = rest.find(kSizes); sizes != std::string_view::npos) {
        const std::string_view list = rest.substr(sizes + kSizes.size() - 1);
        const std::size_t end = list.find("], input_op_ids");
        parsed.sizes = end == std::string_view::npos ? list : list.substr(0, end + 1);
    }
    constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
    const bool engine = parsed.name.starts_with(kEngine);
    const bool detach = parsed.name == "detach" || parsed.name == "detach_"; // the two that have no name space
    parsed.isOperator = engine || isQualifiedOperator(parsed.name) || (parsed.sequence >= 0 && isWord(parsed.name))
        || (detach && !rest.empty());
    parsed.isBackward = parsed.isOperator && (engine || parsed.name.find("Backward") != std::string_view::npos);
    return parsed;
}

} // namespace tuneline::analysis
