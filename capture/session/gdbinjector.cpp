// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/gdbinjector.h"

#include "capture/session/runcommand.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace tuneline::capture {

using std::chrono::seconds;

namespace {

using namespace gdbstage;

constexpr seconds kSafePointLimit{
    3}; // a process that calls no malloc for so long waits in the kernel, which is as safe
constexpr seconds kLimit{60}; // gdb reads the symbols of libc first, from a slow disk perhaps

constexpr std::string_view kWritesNoVectorRegisters = "Couldn't write extended state status";

// gdb's own words, and what they mean to the user. A process that is traced already is "not permitted" too, so that
// comes first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kExplanations{{
    {"is already traced by process", "Another debugger or tracer holds this process. End it first."},
    {"Operation not permitted",
     "The kernel forbids to debug this process. Set kernel.yama.ptrace_scope to 0 (sudo sysctl "
     "kernel.yama.ptrace_scope=0), run as root, or give a container --cap-add=SYS_PTRACE. Or start the "
     "program with tuneline-cli record, which needs none of this."},
    {"No such process", "The process has ended."},
    {"is a zombie", "The process has ended."},
    {"not in executable format", "gdb can't read the program of this process. Is it built for another machine?"},
    {"No symbol \"dlopen\"",
     "The process has no dlopen to be called: it is statically linked, or its C library is too old. "
     "Start it with tuneline-cli record instead."},
    {kWritesNoVectorRegisters,
     "This gdb is too old for this processor (it can't write the registers of AMX), and the program came by no point "
     "where it can do without. Install gdb 14 or newer, or start the program with tuneline-cli record."},
    {"No symbol \"malloc\"",
     "The process has no C library that gdb can read. Start it with tuneline-cli record instead."},
}};

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

// The rest of the line behind a marker; "" if it isn't there.
std::string_view valueAfter(std::string_view text, std::string_view marker)
{
    const auto at = text.find(marker);
    if (at == std::string_view::npos)
        return {};
    text.remove_prefix(at + marker.size());
    return text.substr(0, text.find('\n'));
}

// gdb takes commands with bodies (if … end) from a file only. Removed when it is done with.
class ScriptFile
{
public:
    explicit ScriptFile(const std::string &script)
    {
        const int fd = mkstemp(m_path);
        m_written = fd >= 0 && write(fd, script.data(), script.size()) == static_cast<ssize_t>(script.size());
        if (fd >= 0)
            close(fd);
    }
    ~ScriptFile() { unlink(m_path); }
    ScriptFile(const ScriptFile &) = delete;
    ScriptFile &operator=(const ScriptFile &) = delete;
    [[nodiscard]] bool written() const { return m_written; }
    [[nodiscard]] std::string path() const { return m_path; }

private:
    char m_path[32] = "/tmp/tuneline-gdb-XXXXXX";
    bool m_written = false;
};

} // namespace

std::vector<std::string> gdbCommandLine(const std::string &program, pid_t pid, const std::filesystem::path &script)
{
    return {program,
            "-nx",
            "-batch",
            "-iex",
            "set auto-solib-add off", // libtorch_cuda alone has gigabytes of symbols
            "-iex",
            "set debuginfod enabled off", // no questions, no network
            "-iex",
            "set auto-load off", // what lies beside the target's libraries is not ours to run
            "-p",
            std::to_string(pid),
            "-x",
            script.string()};
}

std::string explainGdb(std::string_view output, std::string_view errors, pid_t pid)
{
    if (valueAfter(output, kStarted) == "1")
        return {};
    if (!contains(output, kAttached) || !contains(output, kSafePoint) || valueAfter(output, kLoaded).empty()) {
        for (const auto &[words, meaning] : kExplanations) {
            if (contains(errors, words))
                return std::string(meaning);
        }
    }
    const auto reason = valueAfter(output, kReason);
    if (valueAfter(output, kLoaded) == "0")
        return "Process " + std::to_string(pid)
            + " could not load the agent: " + std::string(reason.empty() ? "no reason given" : reason)
            + ". In a container, the agent's file must be there under the same path.";
    if (valueAfter(output, kStarted) == "0")
        return "The agent was loaded but could not start; it may be that nothing can be written to its socket folder.";
    std::string words(errors.substr(0, 300));
    return "gdb could not load the agent" + (words.empty() ? std::string(".") : ": " + words);
}

bool GdbInjector::selfTest()
{
    if (m_usable) {
        m_error = m_testError;
        return *m_usable;
    }
    m_usable = false;
    bool installed = false;
    // gdb first: cuda-gdb also stops what runs on the device. It comes with the CUDA Toolkit, so it may be there alone.
    for (const char *program : {"gdb", "cuda-gdb"}) {
        const auto result = runCommand({program, "-nx", "-batch", "-ex", "printf \"works=%d\\n\", 6*7"}, seconds(20));
        if (contains(result.output, "works=42")) {
            m_program = program;
            m_usable = true;
            m_testError.clear();
            break;
        }
        if (result.exitCode >= 0 || result.timedOut || !result.errors.empty()) {
            installed = true;
            m_testError = std::string(program) + " doesn't work here: " + result.errors.substr(0, 200);
        }
    }
    if (!*m_usable && !installed)
        m_testError = "gdb isn't installed, and only a debugger can load the agent into a program that runs already. "
                      "Install gdb, or start the program with tuneline-cli record.";
    m_error = m_testError;
    return *m_usable;
}

bool GdbInjector::inject(pid_t pid, const std::filesystem::path &agent)
{
    if (!selfTest())
        return false;
    if (run(m_calls, pid, agent))
        return true;
    const bool byHand = m_calls == GdbCalls::ByGdb && contains(m_said, kWritesNoVectorRegisters);
    return byHand && run(GdbCalls::ByHand, pid, agent);
}

bool GdbInjector::run(GdbCalls calls, pid_t pid, const std::filesystem::path &agent)
{
    const ScriptFile script(gdbScript(calls, agent));
    if (!script.written()) {
        m_error = "The commands for gdb can't be written into /tmp. Is it full?";
        return false;
    }
    std::optional<std::chrono::steady_clock::time_point> waiting;
    bool interrupted = false;
    const auto watch = [&](std::string_view output, int gdb) {
        const auto now = std::chrono::steady_clock::now();
        if (contains(output, kSafePoint) || !contains(output, kAttached) || interrupted)
            return;
        if (!waiting)
            waiting = now;
        if (now - *waiting >= kSafePointLimit) {
            kill(gdb, SIGINT); // gdb stops the process where it is, and the script goes on
            interrupted = true;
        }
    };
    const auto result = runCommand(gdbCommandLine(m_program, pid, script.path()), kLimit, watch);
    m_said = result.errors;
    m_error = explainGdb(result.output, result.errors, pid);
    if (contains(result.output, kNoSafePoint))
        m_error = explainGdb({}, kWritesNoVectorRegisters, pid);
    return m_error.empty();
}

} // namespace tuneline::capture
