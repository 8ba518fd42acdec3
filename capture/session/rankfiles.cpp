// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/rankfiles.h"

#include <algorithm>
#include <system_error>
#include <unistd.h>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

std::string hostName()
{
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 && name[0] != 0 ? name : "host";
}

} // namespace

RankFiles::RankFiles(fs::path out, bool join, bool force)
    : m_out(std::move(out))
    , m_join(join)
    , m_force(force)
{ }

Result<std::size_t> RankFiles::add(std::optional<int> rank, bool folder)
{
    if (!m_folder && (folder || m_join || m_kept > 0)) {
        if (auto made = makeFolder(); !made)
            return tl::make_unexpected(made.error());
    }
    if (!m_folder)
        m_firstRank = rank;
    const fs::path file = m_folder ? freeName(rank, m_files.size()) : m_out;
    if (auto room = makeRoom(file); !room)
        return tl::make_unexpected(room.error());
    m_files.push_back(file);
    ++m_kept;
    return m_files.size() - 1;
}

Result<void> RankFiles::makeFolder()
{
    std::error_code error;
    const fs::path aside = m_out.string() + ".moving";
    const auto first = std::find(m_files.begin(), m_files.end(), m_out);
    const bool begun = first != m_files.end() && fs::exists(m_out, error);
    if (begun)
        fs::rename(m_out, aside, error);
    if (!error)
        fs::create_directory(m_out, error);
    if (error)
        return fail(Error::Code::OutputUnwritable,
                    "Can't make the folder " + m_out.string() + ": " + error.message() + ".");
    m_folder = true;
    if (first == m_files.end())
        return {};
    *first = freeName(m_firstRank, static_cast<std::size_t>(first - m_files.begin()));
    if (begun)
        fs::rename(aside, *first, error);
    if (error)
        return fail(Error::Code::OutputUnwritable,
                    "Can't move a capture to " + first->string() + ": " + error.message() + ".",
                    "It is at " + aside.string() + ".");
    return {};
}

fs::path RankFiles::freeName(std::optional<int> rank, std::size_t index) const
{
    // Two processes may claim the same rank (a job inside a job); then the position tells them apart.
    std::string name = "rank" + (rank ? std::to_string(*rank) : std::to_string(index));
    if (!rank && m_join)
        name = hostName() + '-' + std::to_string(index); // a position means nothing beside those of other nodes
    fs::path path = m_out / (name + ".tlc");
    if (std::find(m_files.begin(), m_files.end(), path) != m_files.end())
        path = m_out / (name + "-" + std::to_string(index) + ".tlc");
    return path;
}

// Only a folder that is shared can hold something already. Nothing is overwritten unless that was asked for.
Result<void> RankFiles::makeRoom(const fs::path &file) const
{
    std::error_code error;
    if (!m_join || !fs::exists(fs::symlink_status(file, error)))
        return {};
    if (!m_force)
        return fail(Error::Code::OutputExists, file.string() + " is there already, from another run.",
                    "Choose another name with --out, or replace it with --force.");
    if (!fs::remove(file, error))
        return fail(Error::Code::OutputUnwritable, "Can't remove " + file.string() + ": " + error.message() + ".");
    return {};
}

void RankFiles::discard(std::size_t index)
{
    std::error_code ignored;
    fs::remove(m_files[index], ignored);
    m_files[index].clear();
    if (--m_kept > 0)
        return;
    if (m_folder)
        fs::remove(m_out, ignored); // only if it is empty
    m_folder = false;
}

} // namespace tuneline::capture
