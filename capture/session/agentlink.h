// SPDX-License-Identifier: GPL-3.0-or-later
// The connection to one agent. Lives on the Poller's thread; callbacks come from there. Never blocks: an agent whose
// process is stopped or stuck must not hold up the others.
#pragma once

#include "capture/session/messagereader.h"
#include "capture/session/poller.h"
#include "capture/session/uniquefd.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <sys/types.h>

namespace tuneline::capture {

class AgentLink
{
public:
    struct Callbacks
    {
        std::function<void(const format::HelloMessage &)> hello;
        std::function<void(const format::StatusMessage &)> status;
        // The process ended, closed the socket, or talks nonsense (then with a message). Nothing comes after it.
        std::function<void(const Error &)> closed;
    };

    // Connects and checks who is there (SO_PEERCRED: our own user). NoSuchProcess: nobody listens on that socket.
    [[nodiscard]] static Result<std::unique_ptr<AgentLink>> connect(Poller &poller, const std::filesystem::path &socket,
                                                                    Callbacks callbacks);
    ~AgentLink();
    AgentLink(const AgentLink &) = delete;
    AgentLink &operator=(const AgentLink &) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return m_pid; } // of the peer, in our pid namespace
    [[nodiscard]] bool open() const noexcept { return static_cast<bool>(m_fd); }
    [[nodiscard]] bool arm(const format::ArmMessage &message);
    [[nodiscard]] bool stopWindow();
    [[nodiscard]] bool query();

private:
    AgentLink(Poller &poller, UniqueFd fd, pid_t pid, Callbacks callbacks);
    [[nodiscard]] bool send(const std::vector<char> &message);
    void readable();
    void dispatch(const ControlMessage &message);
    void close(Error reason);

    Poller &m_poller;
    UniqueFd m_fd;
    pid_t m_pid = 0;
    Callbacks m_callbacks;
    MessageReader m_reader;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true); // a callback may destroy us
};

// Is this peer one that we talk to? `peer` and `own` are effective user ids.
[[nodiscard]] Result<void> checkPeer(uid_t peer, uid_t own);

} // namespace tuneline::capture
