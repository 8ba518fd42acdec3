// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/runcommand.h"

#include "capture/session/poller.h"
#include "capture/session/uniquefd.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

namespace tuneline::capture {

using std::chrono::milliseconds;

namespace {

struct Pipe
{
    UniqueFd reader, writer;

    bool make()
    {
        int fds[2];
        if (pipe2(fds, O_CLOEXEC) != 0)
            return false;
        reader = UniqueFd(fds[0]);
        writer = UniqueFd(fds[1]);
        return true;
    }
};

pid_t spawn(const std::vector<std::string> &commandLine, int output, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // A group of its own: Ctrl-C is for us. A debugger that is interrupted half-way would harm the program it holds.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    std::vector<char *> argv;
    for (const auto &argument : commandLine)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t pid = -1;
    if (posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return pid;
}

// Reads what is there; false at the end.
bool readSome(int fd, std::string &text)
{
    std::array<char, 4096> buffer;
    const auto got = read(fd, buffer.data(), buffer.size());
    if (got > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

// Sends SIGTERM at the limit and SIGKILL when that had no effect.
class Deadline
{
public:
    Deadline(pid_t pid, milliseconds limit)
        : m_pid(pid)
        , m_end(Poller::Clock::now() + limit)
    { }
    void check(bool &timedOut)
    {
        if (Poller::Clock::now() < m_end)
            return;
        kill(m_pid, timedOut ? SIGKILL : SIGTERM);
        timedOut = true;
        m_end = Poller::Clock::now() + std::chrono::seconds(2);
    }

private:
    pid_t m_pid;
    Poller::Clock::time_point m_end;
};

int waitForEnd(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

CommandResult runCommand(const std::vector<std::string> &commandLine, milliseconds limit,
                         const std::function<void(std::string_view, int)> &watch)
{
    CommandResult result;
    Pipe output, errors;
    if (commandLine.empty() || !output.make() || !errors.make())
        return result;
    const pid_t pid = spawn(commandLine, output.writer.get(), errors.writer.get());
    output.writer.reset();
    errors.writer.reset();
    if (pid < 0)
        return result;

    Poller poller;
    int openPipes = 2;
    const auto follow = [&](int fd, std::string &text) {
        poller.watch(fd, [&poller, &openPipes, fd, &text] {
            if (!readSome(fd, text)) {
                poller.unwatch(fd);
                --openPipes;
            }
        });
    };
    follow(output.reader.get(), result.output);
    follow(errors.reader.get(), result.errors);
    Deadline deadline(pid, limit);
    while (openPipes > 0) {
        poller.runOnce(milliseconds(50));
        if (watch)
            watch(result.output, pid);
        deadline.check(result.timedOut);
    }
    result.exitCode = waitForEnd(pid);
    return result;
}

} // namespace tuneline::capture
