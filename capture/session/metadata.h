// SPDX-License-Identifier: GPL-3.0-or-later
// What the session knows and the agent can't: it goes into the capture as metadata "session" (FORMAT.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::capture {

struct Revision
{
    std::string id; // full hash
    bool changed = false; // tracked files differ from it
};

// git's revision of the folder; nullopt without git, outside a repository, or when git takes over two seconds.
[[nodiscard]] std::optional<Revision> gitRevision(const std::filesystem::path &folder);

// A JSON object: command_line, git_revision, git_changed, price_per_hour, tuneline_version. It is cut down to fit into
// `limit` bytes, the command line first: half a JSON text would be worse than none.
[[nodiscard]] std::string sessionMetadata(const std::vector<std::string> &commandLine,
                                          const std::optional<Revision> &revision, std::size_t limit);

} // namespace tuneline::capture
