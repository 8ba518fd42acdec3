// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/attach.h"

#include "capture/session/agentlibrary.h"
#include "capture/session/agentlink.h"
#include "capture/session/outputpath.h"
#include "capture/session/ranks.h"

#include <thread>

namespace tuneline::capture {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAppearLimit{5000}; // from the agent's start to its socket

Target targetOf(const ProcFs &proc, const ProcessFacts &facts, const std::filesystem::path &socket)
{
    Target target;
    target.root = facts.pid;
    target.socketFolder = socket.parent_path();
    target.commandLine = proc.commandLine(facts.pid);
    target.folder = proc.link(facts.pid, "cwd");
    target.name = target.commandLine.empty() ? facts.name : programName(target.commandLine);
    return target;
}

// A socket file alone proves nothing: a process that was killed leaves it behind, and pids are used again.
bool answers(const std::filesystem::path &socket)
{
    Poller poller;
    return AgentLink::connect(poller, socket, {[](const auto &) {}, [](const auto &) {}, [](const auto &) {}})
        .has_value();
}

std::optional<std::filesystem::path> waitForSocket(const ProcFs &proc, const ProcessFacts &facts)
{
    const auto end = std::chrono::steady_clock::now() + kAppearLimit;
    while (std::chrono::steady_clock::now() < end) {
        const auto socket = agentSocketOf(proc, facts);
        if (socket && answers(*socket))
            return socket;
        std::this_thread::sleep_for(milliseconds(50));
    }
    return std::nullopt;
}

Result<Attached> injectInto(const ProcFs &proc, const ProcessFacts &facts, Injector &injector)
{
    const auto libraries = findLibraries(proc.maps(facts.pid).value_or(""));
    if (!libraries.torch && !libraries.cuda && !libraries.agent)
        return fail(Error::Code::NotCapturable,
                    "Process " + std::to_string(facts.pid) + " (" + facts.name
                        + ") has loaded neither LibTorch nor CUDA.",
                    "tuneline-cli list shows the processes that can be captured.");
    const auto agent = findAgent();
    if (!agent)
        return tl::make_unexpected(agent.error());
    if (auto allowed = mayInject(proc, self(proc), facts, libraries, *agent); !allowed)
        return tl::make_unexpected(allowed.error());
    if (!injector.inject(facts.pid, *agent))
        return fail(Error::Code::InjectionFailed, injector.errorString());
    const auto socket = waitForSocket(proc, facts);
    if (!socket)
        return fail(Error::Code::AgentSilent,
                    "The agent was loaded into process " + std::to_string(facts.pid) + " but doesn't answer.",
                    "Look whether its socket folder can be written: "
                        + socketFolders(proc.environment(facts.pid), facts.uid).front().string());
    return Attached{targetOf(proc, facts, *socket), CaptureWay::Debugger, {}};
}

Result<Attached> attachToOne(const ProcFs &proc, const ProcessFacts &facts, Injector *injector)
{
    const auto socket = agentSocketOf(proc, facts);
    if (socket && answers(*socket))
        return Attached{targetOf(proc, facts, *socket), CaptureWay::Agent, {}};
    if (injector == nullptr)
        return fail(Error::Code::NotCapturable, "There is no agent in process " + std::to_string(facts.pid) + ".",
                    "Start the program with tuneline-cli record, or allow the debugger to load the agent.");
    return injectInto(proc, facts, *injector);
}

// One that fails doesn't keep the others from being captured.
Result<Attached> attachToRanks(const ProcFs &proc, const ProcessFacts &launcher, const std::vector<RankProcess> &ranks,
                               Injector *injector)
{
    std::optional<Attached> all;
    std::string remark;
    std::optional<Error> failed;
    for (const auto &rank : ranks) {
        const auto facts = proc.facts(rank.pid);
        if (!facts)
            continue;
        auto one = attachToOne(proc, *facts, injector);
        if (!one) {
            remark += (remark.empty() ? "" : " ") + ("Rank " + std::to_string(rank.rank) + " is left out: ")
                + one.error().message;
            failed = one.error();
            continue;
        }
        if (!all)
            all = Attached{targetOf(proc, launcher, one->target.socketFolder / "of-a-rank"), one->way, {}};
        if (one->way == CaptureWay::Debugger)
            all->way = one->way;
    }
    if (!all)
        return tl::make_unexpected(failed.value_or(
            Error{Error::Code::NoSuchProcess, "The ranks ended before anything could be attached to them.", {}}));
    all->remark = remark;
    return *all;
}

} // namespace

Result<Attached> attachTo(pid_t pid, Injector *injector, const ProcFs &proc)
{
    const auto facts = proc.facts(pid);
    if (!facts || !proc.alive(pid))
        return fail(Error::Code::NoSuchProcess, "There is no process " + std::to_string(pid) + ".",
                    "tuneline-cli list shows the processes that can be captured.");
    if (auto user = sameUser(self(proc), *facts); !user)
        return fail(user.error().code, "Process " + std::to_string(pid) + " can't be captured. " + user.error().message,
                    user.error().advice);
    const bool launcher = isLauncher(proc.commandLine(pid));
    if (launcher || !rankIn(proc.environment(pid))) {
        if (const auto ranks = ranksBelow(proc, pid); !ranks.empty())
            return attachToRanks(proc, *facts, ranks, injector);
    }
    if (launcher)
        return fail(Error::Code::NotCapturable,
                    "Process " + std::to_string(pid) + " (" + programName(proc.commandLine(pid))
                        + ") starts ranks, but none of them uses LibTorch yet.",
                    "Try again in a moment. If its ranks run on other machines, attach there.");
    return attachToOne(proc, *facts, injector);
}

} // namespace tuneline::capture
