// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/launcher.h"

#include "capture/session/agentlibrary.h"
#include "capture/session/elfneeds.h"
#include "capture/session/socketfolder.h"
#include "capture/session/uniquefd.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tuneline::capture {

namespace {

// Everything that the child needs, made before the fork: between fork and exec only async-signal-safe calls are
// allowed.
struct Prepared
{
    std::string program;
    std::vector<std::string> environment;
    std::vector<char *> argv, envp;
    const LaunchRequest *request = nullptr;
};

std::vector<char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<char *> result;
    for (const auto &text : texts)
        result.push_back(const_cast<char *>(text.c_str())); // execve's signature; it changes nothing
    result.push_back(nullptr);
    return result;
}

void resetSignals()
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr); // we read signals from a signalfd and have them blocked
    signal(SIGPIPE, SIG_DFL); // ignored here, and that would be inherited
}

[[noreturn]] void runChild(const Prepared &prepared, int report)
{
    const LaunchRequest &request = *prepared.request;
    resetSignals();
    bool ok = !request.ownSession || setsid() >= 0;
    ok = ok && (request.input < 0 || dup2(request.input, STDIN_FILENO) >= 0);
    ok = ok && (request.output < 0 || dup2(request.output, STDOUT_FILENO) >= 0);
    ok = ok && (request.error < 0 || dup2(request.error, STDERR_FILENO) >= 0);
    ok = ok && (request.folder.empty() || chdir(request.folder.c_str()) == 0);
    if (ok)
        execve(prepared.program.c_str(), prepared.argv.data(), prepared.envp.data());
    const int error = errno;
    const auto written = write(report, &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
}

// The errno of a failed exec; 0 when the pipe closed by itself, which a successful exec does.
int readReport(int fd)
{
    int error = 0;
    ssize_t got = 0;
    do {
        got = read(fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

Result<pid_t> forkAndExec(const Prepared &prepared)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return fail(Error::Code::LaunchFailed, std::string("Can't make a pipe: ") + std::strerror(errno) + ".");
    UniqueFd reader(fds[0]), writer(fds[1]);
    const pid_t pid = fork();
    if (pid < 0)
        return fail(Error::Code::LaunchFailed, std::string("Can't start a process: ") + std::strerror(errno) + ".");
    if (pid == 0)
        runChild(prepared, writer.get());
    writer.reset();
    const int error = readReport(reader.get());
    if (error == 0)
        return pid;
    waitpid(pid, nullptr, 0);
    return fail(Error::Code::LaunchFailed, "Can't start " + prepared.program + ": " + std::strerror(error) + ".",
                error == ENOEXEC ? "A script needs a first line like #!/bin/sh, or an interpreter before it." : "");
}

std::string newTag()
{
    static std::atomic<unsigned> counter{0};
    return std::to_string(getpid()) + '-' + std::to_string(time(nullptr)) + '-' + std::to_string(++counter);
}

std::string remarkFor(const std::optional<ElfFacts> &elf, const std::string &program)
{
    if (elf && (!elf->native || !elf->dynamic))
        return program + " is statically linked or built for another machine: the agent can't be loaded into it.";
    return {};
}

} // namespace

Result<LaunchedProcess> launch(const LaunchRequest &request)
{
    if (request.commandLine.empty() || request.commandLine.front().empty())
        return fail(Error::Code::LaunchFailed, "No program was given.", "Put it behind --, with its arguments.");
    const auto agent = findAgent();
    if (!agent)
        return tl::make_unexpected(agent.error());
    const auto folder = request.folder.empty() ? std::filesystem::current_path() : request.folder;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return fail(Error::Code::LaunchFailed, "There is no folder " + folder.string() + " to start the program in.");
    const auto path = request.environment.find("PATH");
    const auto program = findProgram(request.commandLine.front(),
                                     path == request.environment.end() ? "/usr/bin:/bin" : path->second, folder);
    if (!program)
        return fail(Error::Code::LaunchFailed,
                    "There is no program " + request.commandLine.front() + " that can be run.",
                    "Check its name and that it is executable; one in the present folder is ./NAME.");

    AgentSetup setup{*agent, ownSocketFolder(), newTag(), {}};
    if (auto ready = prepareSocketFolder(setup.socketFolder); !ready)
        return tl::make_unexpected(ready.error());
    const auto elf = readElf(*program);
    if (elf)
        setup.sanitizer = sanitizerOf(*elf);

    Prepared prepared;
    prepared.request = &request;
    prepared.program = program->string();
    prepared.environment = toAssignments(withAgent(request.environment, setup));
    prepared.argv = pointers(request.commandLine);
    prepared.envp = pointers(prepared.environment);
    return forkAndExec(prepared).map([&](pid_t pid) {
        return LaunchedProcess{pid, setup.tag, setup.socketFolder, remarkFor(elf, prepared.program)};
    });
}

std::optional<ProcessEnd> pollEnd(pid_t child)
{
    int status = 0;
    if (waitpid(child, &status, WNOHANG) != child)
        return std::nullopt;
    ProcessEnd end;
    if (WIFEXITED(status))
        end.exitCode = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    return end;
}

std::string signalName(int signal)
{
    const char *name = sigabbrev_np(signal);
    return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string ProcessEnd::text() const
{
    if (exitCode)
        return "exit code " + std::to_string(*exitCode);
    return signal ? signalName(*signal) : "unknown end";
}

} // namespace tuneline::capture
