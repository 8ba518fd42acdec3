// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/target.h"

#include "capture/session/launchenvironment.h"

#include <system_error>

namespace tuneline::capture {

AgentFinder::AgentFinder(Target target, ProcFs proc)
    : m_target(std::move(target))
    , m_proc(std::move(proc))
{ }

std::vector<AgentSocket> AgentFinder::findNew()
{
    std::vector<AgentSocket> found;
    std::set<std::filesystem::path> present;
    for (auto &socket : socketsIn(m_target.socketFolder)) {
        if (!m_proc.alive(socket.pid)) {
            // kill -9 leaves them; a later process with the same pid makes a new one.
            std::error_code ignored;
            std::filesystem::remove(socket.path, ignored);
            continue;
        }
        present.insert(socket.path);
        if (m_seen.insert(socket.path).second && belongs(socket.pid))
            found.push_back(std::move(socket));
    }
    std::erase_if(m_seen, [&](const auto &path) { return !present.contains(path); });
    return found;
}

bool AgentFinder::belongs(pid_t pid) const
{
    if (pid == m_target.root)
        return true;
    if (!m_target.tag.empty()) {
        const auto environment = m_proc.environment(pid);
        const auto tag = environment.find(kTagVariable);
        if (tag != environment.end() && tag->second == m_target.tag)
            return true; // also one that was cut off its parents: a daemon, a job of a resource manager
    }
    return m_proc.descends(pid, m_target.root);
}

} // namespace tuneline::capture
