// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progressline.h"

#include <iostream>
#include <unistd.h>

namespace tuneline::cli {

namespace {
constexpr std::chrono::milliseconds kInterval{100};
}

ProgressLine::ProgressLine()
    : m_terminal(isatty(STDERR_FILENO) == 1)
{ }

ProgressLine::~ProgressLine()
{
    clear();
}

void ProgressLine::show(std::string_view text)
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_terminal || text == m_shown || (!m_shown.empty() && now - m_last < kInterval))
        return;
    m_last = now;
    m_shown = text;
    std::cerr << "\r\x1b[K" << m_shown << std::flush;
}

void ProgressLine::clear()
{
    if (m_shown.empty())
        return;
    std::cerr << "\r\x1b[K" << std::flush;
    m_shown.clear();
}

} // namespace tuneline::cli
