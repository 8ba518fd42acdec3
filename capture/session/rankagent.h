// SPDX-License-Identifier: GPL-3.0-or-later
// One agent of a capture session: its connection, what it said last, and its file.
#pragma once

#include "capture/session/agentlink.h"
#include "capture/session/captureevents.h"
#include "capture/session/procfs.h"

#include <memory>
#include <optional>

namespace tuneline::capture {

class RankAgent
{
public:
    // Connects. The agent's Hello arrives later, through the poller.
    [[nodiscard]] static Result<std::unique_ptr<RankAgent>> connect(Poller &poller,
                                                                    const std::filesystem::path &socket);

    [[nodiscard]] pid_t pid() const noexcept { return m_link->pid(); }
    [[nodiscard]] bool connected() const noexcept { return m_link->open(); }
    [[nodiscard]] bool greeted() const noexcept { return m_hello.has_value(); }
    [[nodiscard]] const std::optional<Error> &closedBy() const noexcept { return m_closed; }
    [[nodiscard]] std::optional<int> rank() const;
    [[nodiscard]] int worldSize() const { return m_hello ? m_hello->worldSize : -1; }
    // Uses LibTorch or CUDA by now. A Python program loads them long after its agent said hello.
    [[nodiscard]] bool capturable(const ProcFs &proc);
    // Ranks on this machine, by what its launcher says; −1 = unknown.
    [[nodiscard]] int localSize(const ProcFs &proc);
    // Only starts the ranks.
    [[nodiscard]] bool launcher(const ProcFs &proc);

    // One window. `file`: index in RankFiles.
    void arm(std::size_t file, const format::ArmMessage &message);
    void stopWindow() { std::ignore = m_link->stopWindow(); }
    void query() { std::ignore = m_link->query(); }
    // The window's file was taken care of; ready to be armed again.
    void release();
    // It turned out to be a launcher: what it wrote is worth nothing. Until release().
    void standDown();
    [[nodiscard]] bool standsDown() const noexcept { return m_standsDown; }
    [[nodiscard]] std::optional<std::size_t> file() const noexcept { return m_file; }
    // Armed, and neither finished, failed nor gone.
    [[nodiscard]] bool running() const;
    [[nodiscard]] const format::StatusMessage &status() const noexcept { return m_status; }
    [[nodiscard]] RankProgress progress() const;

private:
    RankAgent() = default;
    void take(const format::StatusMessage &status);

    std::unique_ptr<AgentLink> m_link;
    std::optional<format::HelloMessage> m_hello;
    std::optional<Error> m_closed;
    std::optional<std::size_t> m_file;
    format::StatusMessage m_status;
    bool m_answered = false; // a status of this window has come: older ones are of the last
    bool m_capturable = false, m_standsDown = false;
    std::optional<bool> m_launcher;
    std::optional<int> m_localSize;
};

} // namespace tuneline::capture
