// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/processlist.h"

#include "capture/session/ranks.h"
#include "capture/session/socketfolder.h"

#include <system_error>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

bool looksLikePython(const ProcessFacts &facts)
{
    return facts.name.compare(0, 6, "python") == 0;
}

std::string sentence(const Error &error)
{
    return error.advice.empty() ? error.message : error.message + ' ' + error.advice;
}

// Looks at one process; nullopt = nothing that anybody would look for here.
class Inspector
{
public:
    Inspector(const ProcFs &proc, const Observer &observer, Injector &injector, const fs::path &agent)
        : m_proc(proc)
        , m_observer(observer)
        , m_injector(injector)
        , m_agent(agent)
    { }

    std::optional<ListedProcess> look(pid_t pid) const
    {
        const auto facts = m_proc.facts(pid);
        if (!facts || facts->state == 'Z' || pid == m_observer.pid)
            return std::nullopt;
        const auto maps = m_proc.maps(pid);
        const auto libraries = findLibraries(maps.value_or(""));
        const auto socket = agentSocketOf(m_proc, *facts);
        if (!socket && !libraries.torch && !libraries.cuda && !libraries.python && !looksLikePython(*facts))
            return std::nullopt;
        ListedProcess listed = describe(*facts, libraries);
        judge(*facts, libraries, maps.has_value(), socket.has_value(), listed);
        return listed;
    }

private:
    ListedProcess describe(const ProcessFacts &facts, const TargetLibraries &libraries) const
    {
        ListedProcess listed;
        listed.pid = facts.pid;
        listed.name = facts.name;
        listed.commandLine = m_proc.commandLine(facts.pid);
        listed.user = userName(facts.uid);
        listed.rank = rankIn(m_proc.environment(facts.pid));
        listed.cuda = libraries.cuda.has_value();
        if (libraries.torch)
            listed.torch = libraries.torchVersion.empty()
                ? torchVersionAt(*libraries.torch, m_proc.path(facts.pid, "root").string())
                : libraries.torchVersion;
        return listed;
    }

    void judge(const ProcessFacts &facts, const TargetLibraries &libraries, bool visible, bool hasSocket,
               ListedProcess &listed) const
    {
        if (const auto user = sameUser(m_observer, facts); !user) {
            listed.why = sentence(user.error());
        } else if (hasSocket) {
            listed.way = CaptureWay::Agent;
            if (isLauncher(listed.commandLine))
                listed.why = "Starts the ranks: attaching to it captures all of them.";
            else if (!libraries.torch && !libraries.cuda)
                listed.why = "Has loaded neither LibTorch nor CUDA yet.";
        } else if (!visible) {
            listed.why = "The kernel doesn't let anybody look into it.";
        } else if (!libraries.torch && !libraries.cuda) {
            listed.why = "Has loaded neither LibTorch nor CUDA.";
        } else if (m_agent.empty()) {
            listed.why = "The agent, libtuneline_agent.so, isn't installed.";
        } else if (const auto allowed = mayInject(m_proc, m_observer, facts, libraries, m_agent); !allowed) {
            listed.why = sentence(allowed.error());
        } else if (!m_injector.selfTest()) {
            listed.why = m_injector.errorString();
        } else {
            listed.way = CaptureWay::Debugger;
            listed.why =
                "Wasn't started with the agent: gdb loads it, which stops the program for about half a second. "
                "No memory reports.";
        }
    }

    const ProcFs &m_proc;
    const Observer &m_observer;
    Injector &m_injector;
    const fs::path &m_agent;
};

} // namespace

std::optional<fs::path> agentSocketOf(const ProcFs &proc, const ProcessFacts &process)
{
    const auto file = std::to_string(process.innerPid) + ".sock";
    // An agent goes by the environment that it found, which is not ours (another shell, ssh), and takes the next folder
    // when one can't be used.
    for (const auto &folder : socketFolders(proc.environment(process.pid), process.uid)) {
        std::error_code error;
        if (fs::is_socket(folder / file, error))
            return folder / file;
    }
    return std::nullopt;
}

std::vector<ListedProcess> listProcesses(const ProcFs &proc, const Observer &observer, Injector &injector,
                                         const fs::path &agent)
{
    const Inspector inspector(proc, observer, injector, agent);
    std::vector<ListedProcess> listed;
    for (const pid_t pid : proc.processes()) {
        if (auto process = inspector.look(pid))
            listed.push_back(std::move(*process));
    }
    return listed;
}

} // namespace tuneline::capture
