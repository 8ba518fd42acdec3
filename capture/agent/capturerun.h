// SPDX-License-Identifier: MIT
// What exists only while a capture runs. Private to capture*.cpp.
#pragma once

#include "capture/agent/bridge.h"
#include "capture/agent/capture.h"
#include "capture/agent/cupti/session.h"
#include "capture/agent/framefile.h"
#include "capture/agent/monitor.h"
#include "capture/agent/operators.h"
#include "capture/agent/writer.h"

#include <cstdint>
#include <string>

namespace tuneline::agent {

struct Capture::Running
{
    explicit Running(const StepTracker &tracker) noexcept
        : cupti(file, tracker)
    { }

    format::ArmMessage plan;
    FrameFile file;
    Writer writer{file};
    Monitor monitor{file};
    cupti::Session cupti;
    const char *cuptiState = "absent";
    Operators operators;
    Bridge bridge;
    std::string operatorSource = "none"; // metadata `operators`
    bool recordingOn = false;
    std::uint64_t namesRefused = 0; // before this capture
    std::uint64_t memoryReportsBefore = 0;
};

} // namespace tuneline::agent
