// SPDX-License-Identifier: MIT
// The unix socket on which the agent listens: <directory>/<pid>.sock, made so that it can only be found when it
// answers.
#pragma once

#include <string>

namespace tuneline::agent {

class ListenSocket
{
public:
    // Tries $TUNELINE_SOCKET_DIR, $XDG_RUNTIME_DIR/tuneline, /tmp/tuneline-<uid>; a directory that others could write
    // to is not used. Makes the directory (0700), removes sockets there that nobody answers, binds, listens. errno, 0 =
    // done.
    int open() noexcept;
    // A connection whose peer is this user or root; −1 if there is none (another user's is closed).
    [[nodiscard]] int accept() noexcept;
    // Removes the socket's file. Process exit.
    void remove() noexcept;
    // In a forked child: closes the descriptor, leaves the parent's file alone.
    void abandon() noexcept;

    [[nodiscard]] int fd() const noexcept { return m_fd; }

private:
    int listenIn(const std::string &directory) noexcept;

    int m_fd = -1;
    std::string m_path;
};

} // namespace tuneline::agent
