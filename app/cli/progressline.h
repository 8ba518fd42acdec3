// SPDX-License-Identifier: GPL-3.0-or-later
// One line on stderr that is rewritten in place while something takes long. Silent where stderr is no terminal, so that
// logs of scripts stay clean. Used by one thread at a time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tuneline::cli {

class ProgressLine
{
public:
    ProgressLine();
    ~ProgressLine(); // clears the line
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    // Shows the text, at most ten times a second.
    void show(std::string_view text);
    // Wipes the line, so that a message can be printed; the next show() brings it back.
    void clear();

private:
    bool m_terminal = false;
    std::string m_shown;
    std::chrono::steady_clock::time_point m_last;
};

} // namespace tuneline::cli
