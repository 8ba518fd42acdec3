// SPDX-License-Identifier: GPL-3.0-or-later
// What /proc says about a process. Everything may fail at any time (the process ends, belongs to somebody else): then
// the answer is empty. The root can be another folder, which tests use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tuneline::capture {

// Of /proc/PID/stat and /proc/PID/status.
struct ProcessFacts
{
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t innerPid = 0; // its own idea of its pid: another one inside a pid namespace
    uid_t uid = 0; // effective
    std::string name; // at most 15 bytes, as the kernel keeps it
    char state = '?'; // 'Z' = ended, not yet waited for
    std::uint64_t start = 0; // field 22 of stat: with the pid it names a process for good
};

class ProcFs
{
public:
    explicit ProcFs(std::filesystem::path root = "/proc");

    [[nodiscard]] std::vector<pid_t> processes() const; // sorted
    [[nodiscard]] std::optional<ProcessFacts> facts(pid_t pid) const;
    [[nodiscard]] std::vector<std::string> commandLine(pid_t pid) const;
    [[nodiscard]] std::map<std::string, std::string> environment(pid_t pid) const; // as it was at its start
    [[nodiscard]] std::optional<std::string> maps(pid_t pid) const; // nullopt = not permitted or gone
    [[nodiscard]] std::filesystem::path link(pid_t pid, const std::string &name) const; // exe, cwd, ns/mnt
    [[nodiscard]] std::filesystem::path path(pid_t pid, const std::string &name) const;
    [[nodiscard]] bool alive(pid_t pid) const; // there, and no zombie
    // `pid` is `ancestor` or descends from it.
    [[nodiscard]] bool descends(pid_t pid, pid_t ancestor) const;
    // sys/kernel/yama/ptrace_scope; 0 where Yama isn't built in.
    [[nodiscard]] int ptraceScope() const;
    [[nodiscard]] const std::filesystem::path &root() const noexcept { return m_root; }

private:
    std::filesystem::path m_root;
};

} // namespace tuneline::capture
