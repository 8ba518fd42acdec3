// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts bytes into lines, whatever pieces they arrive in.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuneline::capture {

class LineSplitter
{
public:
    // A line that is longer than `longest` comes in pieces of that size.
    explicit LineSplitter(std::size_t longest)
        : m_longest(longest)
    { }

    // The lines that these bytes complete, without "\n" or "\r\n". `whole` is false for a piece.
    struct Line
    {
        std::string text;
        bool whole = true;
        bool ended = true; // here was the line's end: false for all pieces but the last
    };
    [[nodiscard]] std::vector<Line> feed(std::string_view bytes)
    {
        std::vector<Line> lines;
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            const auto take = std::min({end, bytes.size(), m_longest - m_rest.size()});
            m_rest.append(bytes.substr(0, take));
            bytes.remove_prefix(take);
            if (!bytes.empty() && bytes.front() == '\n') {
                bytes.remove_prefix(1);
                if (!m_rest.empty() && m_rest.back() == '\r')
                    m_rest.pop_back();
                lines.push_back({std::move(m_rest), !m_inPieces, true});
                m_rest.clear();
                m_inPieces = false;
            } else if (m_rest.size() >= m_longest) {
                lines.push_back({std::move(m_rest), false, false});
                m_rest.clear();
                m_inPieces = true;
            }
        }
        return lines;
    }
    // What stands behind the last line end.
    [[nodiscard]] std::string takeRest() { return std::exchange(m_rest, {}); }

private:
    std::size_t m_longest;
    std::string m_rest;
    bool m_inPieces = false;
};

} // namespace tuneline::capture
