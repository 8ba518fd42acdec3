// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/agentlink.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace tuneline::capture {

namespace {

Result<UniqueFd> connectTo(const std::filesystem::path &socketPath)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (!setText(address.sun_path, socketPath.string()))
        return fail(Error::Code::AgentSilent,
                    "The path of the agent's socket is too long: " + socketPath.string() + ".");
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd)
        return fail(Error::Code::AgentSilent, std::string("Can't make a socket: ") + std::strerror(errno) + ".");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return fd;
    const int error = errno;
    const bool nobody = error == ECONNREFUSED || error == ENOENT;
    return fail(nobody ? Error::Code::NoSuchProcess : Error::Code::AgentSilent,
                "Can't reach the agent at " + socketPath.string() + ": " + std::strerror(error) + ".");
}

} // namespace

Result<void> checkPeer(uid_t peer, uid_t own)
{
    if (peer == own)
        return {};
    return fail(Error::Code::NotPermitted,
                "The agent runs as user id " + std::to_string(peer) + ", this program as " + std::to_string(own) + ".",
                "Run tuneline-cli as the user who runs the training program.");
}

Result<std::unique_ptr<AgentLink>> AgentLink::connect(Poller &poller, const std::filesystem::path &socket,
                                                      Callbacks callbacks)
{
    auto fd = connectTo(socket);
    if (!fd)
        return tl::make_unexpected(fd.error());
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fd->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return fail(Error::Code::AgentSilent,
                    std::string("Can't tell who is at the socket: ") + std::strerror(errno) + ".");
    if (auto trusted = checkPeer(peer.uid, geteuid()); !trusted)
        return tl::make_unexpected(trusted.error());
    return std::unique_ptr<AgentLink>(new AgentLink(poller, std::move(*fd), peer.pid, std::move(callbacks)));
}

AgentLink::AgentLink(Poller &poller, UniqueFd fd, pid_t pid, Callbacks callbacks)
    : m_poller(poller)
    , m_fd(std::move(fd))
    , m_pid(pid)
    , m_callbacks(std::move(callbacks))
{
    m_poller.watch(m_fd.get(), [this] { readable(); });
}

AgentLink::~AgentLink()
{
    *m_alive = false;
    if (m_fd)
        m_poller.unwatch(m_fd.get());
}

bool AgentLink::arm(const format::ArmMessage &message)
{
    return send(encodeMessage(format::ControlKind::Arm, &message, sizeof message));
}

bool AgentLink::stopWindow()
{
    return send(encodeMessage(format::ControlKind::Stop));
}

bool AgentLink::query()
{
    return send(encodeMessage(format::ControlKind::Query));
}

// Messages are small and few: they always fit into an empty socket buffer. If one doesn't, the agent hasn't read for a
// long time and there is no use in queueing more.
bool AgentLink::send(const std::vector<char> &message)
{
    if (!m_fd)
        return false;
    const auto sent = ::send(m_fd.get(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(message.size()))
        return true;
    if (sent > 0)
        close({Error::Code::AgentSilent,
               "The agent in process " + std::to_string(m_pid) + " doesn't read its messages.",
               {}});
    return false;
}

void AgentLink::readable()
{
    const auto alive = m_alive;
    std::array<char, 8192> buffer;
    const auto got = recv(m_fd.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        close({Error::Code::NoSuchProcess, "The connection to process " + std::to_string(m_pid) + " ended.", {}});
        return;
    }
    m_reader.feed(buffer.data(), static_cast<std::size_t>(got));
    while (*alive && m_fd) {
        const auto message = m_reader.next();
        if (!message) {
            close(message.error());
            return;
        }
        if (!*message)
            return;
        dispatch(**message);
    }
}

void AgentLink::dispatch(const ControlMessage &message)
{
    switch (message.kind) {
    case format::ControlKind::Hello:
        m_callbacks.hello(message.as<format::HelloMessage>());
        break;
    case format::ControlKind::Status:
        m_callbacks.status(message.as<format::StatusMessage>());
        break;
    case format::ControlKind::Arm:
    case format::ControlKind::Stop:
    case format::ControlKind::Query:
        break; // ours; an agent never sends them
    }
}

void AgentLink::close(Error reason)
{
    m_poller.unwatch(m_fd.get());
    m_fd.reset();
    m_callbacks.closed(reason);
}

} // namespace tuneline::capture
