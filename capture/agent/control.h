// SPDX-License-Identifier: MIT
// The control thread: answers the session on the socket and drives the capture. One per process, started lazily, never
// ended but by the process's exit.
#pragma once

#include "capture/agent/capture.h"
#include "capture/agent/socket.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <pthread.h>
#include <semaphore.h>

namespace tuneline::agent {

class Control
{
public:
    Control() noexcept;

    // Starts the thread, once; later calls return the first one's answer. Any thread. True: it listens, or will in a
    // moment.
    bool start() noexcept;
    [[nodiscard]] bool started() const noexcept { return m_started.load(std::memory_order_acquire); }
    // Asks the control thread to complete a running capture, and waits for it, 3 s at most. Exit handler.
    void finishAtExit() noexcept;
    void removeSocket() noexcept { m_socket.remove(); }
    // In a forked child: closes what was inherited. The thread isn't here.
    void abandon() noexcept;

    [[nodiscard]] StepTracker &tracker() noexcept { return m_capture.tracker(); }

private:
    static constexpr std::size_t kClients = 4;
    struct Client
    {
        int fd = -1;
        bool arms = false; // armed the running capture
        std::size_t got = 0;
        std::array<std::byte, sizeof(format::ControlHeader) + sizeof(format::ArmMessage)> buffer{};
    };

    static void *run(void *self) noexcept;
    static void wake(void *self) noexcept;
    void loop() noexcept;
    void serve(Client &client) noexcept;
    // Handles a whole message at the buffer's start; false: none there yet.
    bool handle(Client &client) noexcept;
    void arm(Client &client) noexcept;
    void greet(int fd) noexcept;
    void drop(Client &client) noexcept;
    void sendStatus(Client &client, const format::StatusMessage &status) noexcept;
    void sendStatusToAll() noexcept;
    static bool send(int fd, format::ControlKind kind, const void *payload, std::uint32_t bytes) noexcept;

    Capture m_capture;
    ListenSocket m_socket;
    std::array<Client, kClients> m_clients;
    std::atomic<int> m_wakeFd{-1};
    pthread_t m_thread{};
    std::atomic<bool> m_started{false};
    std::atomic<bool> m_exiting{false};
    sem_t m_finished;
    format::AgentState m_told = format::AgentState::Dormant;
};

} // namespace tuneline::agent
