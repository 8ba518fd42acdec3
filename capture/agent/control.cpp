// SPDX-License-Identifier: MIT
#include "capture/agent/control.h"

#include "capture/agent/agent.h"
#include "capture/agent/clock.h"
#include "capture/agent/cupti/recordclock.h"
#include "capture/agent/hot.h"
#include "capture/agent/log.h"
#include "capture/agent/target.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tuneline::agent {

namespace {
constexpr int kBusyPollMs = 20;
constexpr std::int64_t kExitWaitNs = 3 * kSecond;
} // namespace

Control::Control() noexcept
    : m_capture(wake, this)
{
    sem_init(&m_finished, 0, 0);
}

bool Control::start() noexcept
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool tried = false;
    if (started())
        return true;
    pthread_mutex_lock(&mutex);
    if (!tried && !g_hot.dead.load()) {
        tried = true;
        m_wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        const int error = startThread(m_thread, "tuneline-ctl", run, this);
        m_started.store(error == 0, std::memory_order_release);
        if (error != 0)
            logLine("cannot start the control thread: %s", std::strerror(error));
    }
    pthread_mutex_unlock(&mutex);
    return started();
}

void Control::wake(void *self) noexcept
{
    const int fd = static_cast<Control *>(self)->m_wakeFd.load();
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof one);
}

void *Control::run(void *self) noexcept
{
    static_cast<Control *>(self)->loop();
    return nullptr;
}

void Control::loop() noexcept
{
    cupti::RecordClock::remember();
    if (m_socket.open() != 0)
        return;
    while (true) {
        std::array<pollfd, kClients + 2> polled{};
        polled[0] = {m_wakeFd, POLLIN, 0};
        polled[1] = {m_socket.fd(), POLLIN, 0};
        for (std::size_t i = 0; i < kClients; ++i)
            polled[i + 2] = {m_clients[i].fd, POLLIN, 0}; // poll skips −1
        poll(polled.data(), polled.size(), m_capture.busy() ? kBusyPollMs : -1);
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = read(m_wakeFd, &count, sizeof count);
        if (m_exiting.load()) {
            m_capture.finish(EndReason::Exit);
            sendStatusToAll();
            sem_post(&m_finished);
            return;
        }
        m_capture.tick();
        if (polled[1].revents != 0) {
            if (const int fd = m_socket.accept(); fd >= 0)
                greet(fd);
        }
        for (std::size_t i = 0; i < kClients; ++i) {
            if (polled[i + 2].fd >= 0 && polled[i + 2].revents != 0)
                serve(m_clients[i]);
        }
        sendStatusToAll();
    }
}

void Control::greet(int fd) noexcept
{
    for (Client &client : m_clients) {
        if (client.fd >= 0)
            continue;
        client.fd = fd;
        client.got = 0;
        client.arms = false;
        const format::HelloMessage hello = describeSelf();
        if (!send(fd, format::ControlKind::Hello, &hello, sizeof hello))
            drop(client);
        return;
    }
    close(fd); // more sessions than anybody needs
}

void Control::drop(Client &client) noexcept
{
    close(client.fd);
    client.fd = -1;
    // Nobody is left to end a capture without limits.
    if (client.arms && m_capture.busy())
        m_capture.stop();
    client.arms = false;
}

void Control::serve(Client &client) noexcept
{
    while (client.fd >= 0) {
        const ssize_t got =
            recv(client.fd, client.buffer.data() + client.got, client.buffer.size() - client.got, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            drop(client);
            return;
        }
        client.got += static_cast<std::size_t>(got);
        while (client.fd >= 0 && handle(client)) { }
    }
}

bool Control::handle(Client &client) noexcept
{
    format::ControlHeader header;
    if (client.got < sizeof header)
        return false;
    std::memcpy(&header, client.buffer.data(), sizeof header);
    if (header.magic != format::kControlMagic || header.payloadBytes > client.buffer.size() - sizeof header) {
        drop(client);
        return false;
    }
    const std::size_t bytes = sizeof header + header.payloadBytes;
    if (client.got < bytes)
        return false;
    if (header.version != format::kControlVersion) {
        format::StatusMessage refusal;
        refusal.state = format::AgentState::Failed;
        refusal.error = EPROTO;
        std::snprintf(
            refusal.message, sizeof refusal.message,
            "the agent in this process speaks control protocol %u, this session %u: restart the program with the "
            "agent of this Tuneline",
            format::kControlVersion, header.version);
        sendStatus(client, refusal);
    } else if (header.kind == format::ControlKind::Arm && header.payloadBytes == sizeof(format::ArmMessage)) {
        arm(client);
    } else {
        if (header.kind == format::ControlKind::Stop)
            m_capture.stop();
        m_capture.tick();
        sendStatus(client, m_capture.status());
    }
    client.got -= bytes;
    std::memmove(client.buffer.data(), client.buffer.data() + bytes, client.got);
    return true;
}

void Control::arm(Client &client) noexcept
{
    format::ArmMessage plan;
    std::memcpy(&plan, client.buffer.data() + sizeof(format::ControlHeader), sizeof plan);
    const bool wasBusy = m_capture.busy();
    const bool armed = m_capture.arm(plan);
    static const bool registered = [] {
        // Here and not in the library's constructor: handlers run in reverse order, so ours runs while everything that
        // the host and LibTorch set up is still there (CAPTURE.md section 4.3). Behind arm(): a Python program is armed
        // while it imports torch, and arm() waits for the loader, so LibTorch's own handlers are registered by now.
        return std::atexit([] { finishCaptureAtExit(); }) == 0;
    }();
    (void)registered;
    client.arms = armed && plan.windowSteps <= 0 && plan.windowNs <= 0;
    format::StatusMessage status = m_capture.status();
    if (!armed && wasBusy)
        status.state = format::AgentState::Failed; // this wish failed; the running capture is told of separately
    sendStatus(client, status);
}

bool Control::send(int fd, format::ControlKind kind, const void *payload, std::uint32_t bytes) noexcept
{
    std::array<std::byte, sizeof(format::ControlHeader) + sizeof(format::StatusMessage) + sizeof(format::HelloMessage)>
        message;
    format::ControlHeader header;
    header.kind = kind;
    header.payloadBytes = bytes;
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, payload, bytes);
    const std::size_t size = sizeof header + bytes;
    // Never blocks: a session that doesn't read its messages loses the connection, not the host its time.
    return ::send(fd, message.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

void Control::sendStatus(Client &client, const format::StatusMessage &status) noexcept
{
    if (client.fd >= 0 && !send(client.fd, format::ControlKind::Status, &status, sizeof status))
        drop(client);
}

void Control::sendStatusToAll() noexcept
{
    const format::StatusMessage status = m_capture.status();
    if (status.state == m_told)
        return;
    m_told = status.state;
    for (Client &client : m_clients)
        sendStatus(client, status);
}

void Control::finishAtExit() noexcept
{
    if (!started() || m_exiting.exchange(true))
        return;
    wake(this);
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kExitWaitNs / kSecond;
    while (sem_timedwait(&m_finished, &until) != 0 && errno == EINTR) { }
}

void Control::abandon() noexcept
{
    m_socket.abandon();
    for (Client &client : m_clients) {
        if (client.fd >= 0)
            close(client.fd);
        client.fd = -1;
    }
    if (const int fd = m_wakeFd.exchange(-1); fd >= 0)
        close(fd);
    m_capture.abandon();
}

} // namespace tuneline::agent
