// SPDX-License-Identifier: GPL-3.0-or-later
// The shell of a self-contained web page, and text made safe for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

// Safe as text and inside a quoted attribute: names come out of other people's files. Control bytes and what is no
// UTF-8 become U+FFFD.
[[nodiscard]] std::string htmlText(std::string_view text);

// <html> with the style sheet around `body`, which is markup.
[[nodiscard]] std::string htmlPage(std::string_view title, std::string_view body);

struct HtmlColumn
{
    std::string title; // text
    bool number = false; // right-aligned
};

// Cells are markup, made safe already. "" if there are no rows.
[[nodiscard]] std::string htmlTable(const std::vector<HtmlColumn> &columns,
                                    const std::vector<std::vector<std::string>> &rows);

} // namespace tuneline::analysis
