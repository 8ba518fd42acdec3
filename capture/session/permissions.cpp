// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/permissions.h"

#include "capture/session/elfneeds.h"

#include <array>
#include <charconv>
#include <fstream>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kCapSysPtrace = 19; // linux/capability.h

bool hasCapability(const ProcFs &proc, pid_t pid, unsigned capability)
{
    std::ifstream in(proc.path(pid, "status"));
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 8, "CapEff:\t") != 0)
            continue;
        std::uint64_t bits = 0;
        const char *first = line.c_str() + 8;
        std::from_chars(first, line.c_str() + line.size(), bits, 16);
        return ((bits >> capability) & 1U) != 0;
    }
    return false;
}

Result<void> checkYama(const ProcFs &proc, const Observer &observer, pid_t target)
{
    const int scope = proc.ptraceScope();
    if (scope == 0 || (scope < 3 && observer.mayTraceAnything) || (scope == 1 && proc.descends(target, observer.pid)))
        return {};
    const auto code = Error::Code::NotPermitted;
    if (scope >= 3)
        return fail(code, "This machine forbids debuggers altogether (kernel.yama.ptrace_scope is 3).",
                    "Start the program with tuneline-cli record.");
    return fail(code,
                "This machine lets only root debug running programs (kernel.yama.ptrace_scope is "
                    + std::to_string(scope) + ").",
                "Start the program with tuneline-cli record, or: sudo sysctl kernel.yama.ptrace_scope=0");
}

Result<void> checkContainer(const ProcFs &proc, const Observer &observer, pid_t target, const fs::path &agent)
{
    const auto ours = proc.link(observer.pid, "ns/mnt"), theirs = proc.link(target, "ns/mnt");
    if (ours.empty() || theirs.empty() || ours == theirs)
        return {};
    std::error_code error;
    if (fs::exists(proc.path(target, "root") / agent.relative_path(), error))
        return {};
    return fail(Error::Code::NotPermitted, "The process runs in a container that doesn't hold the agent.",
                "Install Tuneline in the container and run tuneline-cli there, or start the program with it.");
}

Result<void> checkKind(const ProcFs &proc, pid_t target, const TargetLibraries &libraries)
{
    const auto code = Error::Code::NotCapturable;
    const auto elf = readElf(proc.path(target, "exe"));
    if (elf && !elf->native)
        return fail(code, "The program is built for another kind of machine than the agent.");
    if (!libraries.libc)
        return fail(
            code,
            "The program doesn't use the GNU C library (it is static, or uses musl): nothing can be loaded into it.");
    return {};
}

} // namespace

Observer self(const ProcFs &proc)
{
    return {geteuid(), hasCapability(proc, getpid(), kCapSysPtrace), getpid()};
}

std::string userName(uid_t uid)
{
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd *found = nullptr;
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return entry.pw_name;
    return "user id " + std::to_string(uid);
}

Result<void> sameUser(const Observer &observer, const ProcessFacts &target)
{
    if (observer.uid == target.uid)
        return {};
    const auto owner = userName(target.uid);
    return fail(Error::Code::NotPermitted, "It belongs to " + owner + ".", "Run tuneline-cli as " + owner + ".");
}

Result<void> mayInject(const ProcFs &proc, const Observer &observer, const ProcessFacts &target,
                       const TargetLibraries &libraries, const fs::path &agent)
{
    return sameUser(observer, target)
        .and_then([&] { return checkKind(proc, target.pid, libraries); })
        .and_then([&] { return checkContainer(proc, observer, target.pid, agent); })
        .and_then([&] { return checkYama(proc, observer, target.pid); });
}

} // namespace tuneline::capture
