// SPDX-License-Identifier: GPL-3.0-or-later
// The files of resources/advice as they were when the library was built, in RULES.md's order.
#pragma once

#include <string_view>
#include <vector>

namespace tuneline::analysis {

[[nodiscard]] const std::vector<std::string_view> &adviceTexts();

} // namespace tuneline::analysis
