// SPDX-License-Identifier: GPL-3.0-or-later
// Where a launched program writes its output while somebody may go away: an unlinked temporary file. With a pipe the
// program would die of SIGPIPE at its next line when the reader is killed; a file lets it go on, and vanishes with it.
#pragma once

#include "capture/session/linesplitter.h"
#include "capture/session/result.h"
#include "capture/session/uniquefd.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tuneline::capture {

class OutputFile
{
public:
    [[nodiscard]] static Result<OutputFile> create();

    [[nodiscard]] int writer() const noexcept { return m_writer.get(); } // for the program's stdout or stderr
    // Lines that came since the last call, at most a few hundred kilobytes of them. `last`: the program has ended, its
    // unfinished line counts too.
    [[nodiscard]] std::vector<std::string> read(bool last);
    // Everything was read, as far as it was written.
    [[nodiscard]] bool drained() const;

private:
    OutputFile(UniqueFd writer, UniqueFd reader);
    void releaseSpace();

    UniqueFd m_writer, m_reader;
    std::int64_t m_offset = 0, m_released = 0;
    LineSplitter m_lines;
};

} // namespace tuneline::capture
