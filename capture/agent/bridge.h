// SPDX-License-Identifier: MIT
// The torch bridge (capture/torch), if there is one that was built for the LibTorch of this process. Control thread
// only.
#pragma once

#include "capture/agent/agent_api.h"
#include "capture/agent/torchlibrary.h"

#include <string>

namespace tuneline::agent {

class Bridge
{
public:
    // Looks for $TUNELINE_TORCH_BRIDGE, then libtuneline_torch.so beside the agent, and starts it. False: why() says
    // what is missing; the header-free observer does instead.
    bool start(const TorchLibrary &torch) noexcept;
    void stop() noexcept;

    [[nodiscard]] bool running() const noexcept { return m_running; }
    [[nodiscard]] const std::string &why() const noexcept { return m_why; }

private:
    bool load(const TorchLibrary &torch);

    tuneline_torch_start_fn m_start = nullptr;
    tuneline_torch_stop_fn m_stop = nullptr;
    bool m_running = false;
    std::string m_why;
};

// The version that a bridge file was built for, "" if it isn't one. Reads the file, doesn't load it.
std::string bridgeVersion(const std::string &path) noexcept;
// 1.13.1 and 1.13.0 are, 1.13.1 and 1.14.0 aren't: RecordFunction's layout holds within a minor version.
bool sameTorch(const std::string &a, const std::string &b) noexcept;

} // namespace tuneline::agent
