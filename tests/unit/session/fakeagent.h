// SPDX-License-Identifier: GPL-3.0-or-later
// An agent made of a listening socket on the test's own poller. It answers nothing by itself: the test says when.
#pragma once

#include "capture/format/frames.h"
#include "capture/format/records.h"
#include "capture/session/messagereader.h"
#include "capture/session/poller.h"
#include "capture/session/uniquefd.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

class FakeAgent
{
public:
    // The session sees us as this process: SO_PEERCRED can't be faked, so all fake agents have the test's own pid.
    FakeAgent(tuneline::capture::Poller &poller, const std::filesystem::path &socketPath, int rank = -1,
              int worldSize = -1)
        : m_poller(poller)
    {
        hello.pid = getpid();
        hello.uid = geteuid();
        hello.torchFound = 1;
        hello.rank = rank;
        hello.worldSize = worldSize;
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::copy_n(socketPath.c_str(), socketPath.string().size() + 1, address.sun_path);
        m_listener = tuneline::capture::UniqueFd(socket(AF_UNIX, SOCK_STREAM, 0));
        if (bind(m_listener.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0
            && listen(m_listener.get(), 4) == 0)
            m_poller.watch(m_listener.get(), [this] { acceptOne(); });
    }
    ~FakeAgent()
    {
        m_poller.unwatch(m_listener.get());
        hangUp();
    }
    FakeAgent(const FakeAgent &) = delete;
    FakeAgent &operator=(const FakeAgent &) = delete;

    void say(tuneline::format::AgentState state, std::int64_t steps = 0, const char *message = "")
    {
        tuneline::format::StatusMessage status;
        status.state = state;
        status.stepsSeen = steps;
        status.windowStepsDone = steps;
        tuneline::capture::setText(status.message, message);
        sendRaw(tuneline::capture::encodeMessage(tuneline::format::ControlKind::Status, &status, sizeof status));
    }
    void sendRaw(const std::vector<char> &bytes)
    {
        if (m_peer) [[maybe_unused]]
            const auto sent = send(m_peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void hangUp()
    {
        if (m_peer)
            m_poller.unwatch(m_peer.get());
        m_peer.reset();
    }
    // Writes a capture to where the session wants it.
    void writeCapture(std::uint32_t operators, bool end) const
    {
        using namespace tuneline::format;
        std::ofstream out(armed->path, std::ios::binary);
        const auto put = [&](const auto &value) { out.write(reinterpret_cast<const char *>(&value), sizeof value); };
        put(FileHeader{});
        put(FrameHeader{FrameKind::Records,
                        static_cast<std::uint32_t>(sizeof(RecordBlock) + operators * sizeof(OpRecord)), 0, 0});
        put(RecordBlock{RecordKind::Op, sizeof(OpRecord), operators, 0});
        for (std::uint32_t i = 0; i < operators; ++i)
            put(OpRecord{});
        if (end) {
            put(FrameHeader{FrameKind::End, sizeof(EndFrame), 0, 1});
            put(EndFrame{operators, 0});
        }
    }

    tuneline::format::HelloMessage hello;
    std::optional<tuneline::format::ArmMessage> armed;
    int stops = 0, queries = 0;

private:
    void acceptOne()
    {
        m_peer = tuneline::capture::UniqueFd(accept(m_listener.get(), nullptr, nullptr));
        sendRaw(tuneline::capture::encodeMessage(tuneline::format::ControlKind::Hello, &hello, sizeof hello));
        m_poller.watch(m_peer.get(), [this] { readable(); });
    }
    void readable()
    {
        std::array<char, 65536> buffer;
        const auto got = recv(m_peer.get(), buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            hangUp();
            return;
        }
        m_reader.feed(buffer.data(), static_cast<std::size_t>(got));
        for (auto message = m_reader.next(); message && *message; message = m_reader.next()) {
            if ((*message)->kind == tuneline::format::ControlKind::Arm)
                armed = (*message)->as<tuneline::format::ArmMessage>();
            stops += (*message)->kind == tuneline::format::ControlKind::Stop;
            queries += (*message)->kind == tuneline::format::ControlKind::Query;
        }
    }

    tuneline::capture::Poller &m_poller;
    tuneline::capture::UniqueFd m_listener, m_peer;
    tuneline::capture::MessageReader m_reader;
};
