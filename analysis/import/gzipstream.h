// SPDX-License-Identifier: GPL-3.0-or-later
// Inflates a gzip file of any number of members, piece by piece, with ISA-L. What follows a damaged member is read: a
// parallel writer makes one for each megabyte. One thread.
#pragma once

#include <cstddef>
#include <isa-l/igzip_lib.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tuneline::analysis {

class GzipStream
{
public:
    explicit GzipStream(std::string_view compressed);
    // Fills `out` as far as there is data; returns the bytes written, 0 at the end.
    std::size_t read(std::span<char> out);
    [[nodiscard]] bool damaged() const noexcept { return !m_problem.empty(); }
    [[nodiscard]] const std::string &problem() const noexcept { return m_problem; } // the first; "" if it is whole
    [[nodiscard]] bool endsEarly() const noexcept { return m_endsEarly; } // that is all that is wrong with it
    [[nodiscard]] std::size_t consumed() const noexcept; // compressed bytes

    static bool isGzip(std::string_view head) noexcept
    {
        return head.size() > 2 && head[0] == '\x1f' && head[1] == '\x8b';
    }

private:
    void nextMember();
    void beginMember(std::size_t at);
    void passOver(std::size_t from, std::string problem); // to the next member, if there is one
    void refill();

    std::string_view m_compressed;
    std::size_t m_given = 0; // bytes handed to ISA-L
    std::size_t m_member = 0; // where the current one begins
    std::unique_ptr<inflate_state> m_state; // 87 KB: not on the stack
    bool m_inMember = false;
    std::string m_problem;
    bool m_endsEarly = false;
};

// All of it; what there was before damage, if it is damaged.
[[nodiscard]] std::string inflateAll(std::string_view compressed, std::string &problem);

} // namespace tuneline::analysis
