// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of NVTX ranges that torch.autograd.profiler.emit_nvtx() writes: "aten::mm, seq = 4, op_id = 12, sizes = [[2,
// 3]]".
#pragma once

#include <cstdint>
#include <string_view>

namespace tuneline::analysis {

struct NvtxText
{
    std::string_view name; // without what PyTorch appended
    std::string_view sizes; // as Kineto's "Input Dims", "" = not recorded
    std::int64_t sequence = -1; // -1 = none
    std::uint32_t opId = 0; // 0 = none
    bool isOperator = false; // an operator or autograd node; else a scope of the user
    bool isBackward = false;
};

// Views of `text`.
[[nodiscard]] NvtxText parseNvtxText(std::string_view text) noexcept;

} // namespace tuneline::analysis
