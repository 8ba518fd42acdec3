// SPDX-License-Identifier: GPL-3.0-or-later
// The files of one capture: NAME.tlc as long as there is one process, a folder NAME.tlc/ with rankN.tlc for several.
// Nobody knows beforehand how many there will be, so a file that was begun is moved into the folder when a second
// process turns up: its agent has it open and goes on writing.
#pragma once

#include "capture/session/result.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace tuneline::capture {

class RankFiles
{
public:
    // `out`: absolute and free (prepareOutput), or with `join` perhaps a folder with the files of other nodes.
    // `force`: there, replace a file of the same rank.
    explicit RankFiles(std::filesystem::path out, bool join = false, bool force = false);

    // A new file for the next process. `folder`: it is known that others will follow. Indices count from 0.
    [[nodiscard]] Result<std::size_t> add(std::optional<int> rank, bool folder);
    [[nodiscard]] const std::filesystem::path &file(std::size_t index) const { return m_files[index]; }
    // Removes a file that has nothing in it. If it was the only one, the next add() begins anew with NAME.tlc.
    void discard(std::size_t index);
    [[nodiscard]] const std::filesystem::path &out() const noexcept { return m_out; }

private:
    [[nodiscard]] Result<void> makeFolder();
    [[nodiscard]] std::filesystem::path freeName(std::optional<int> rank, std::size_t index) const;
    [[nodiscard]] Result<void> makeRoom(const std::filesystem::path &file) const;

    std::filesystem::path m_out;
    std::vector<std::filesystem::path> m_files; // "" = discarded
    std::size_t m_kept = 0; // not discarded
    std::optional<int> m_firstRank; // of the file that stands at NAME.tlc
    bool m_folder = false;
    bool m_join, m_force;
};

} // namespace tuneline::capture
