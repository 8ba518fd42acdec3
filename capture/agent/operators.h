// SPDX-License-Identifier: MIT
// Tier 1: operators, autograd nodes and user scopes by name, scope, thread and time, from any LibTorch 1.13 to 2.x
// without its headers. One observer per scope, so that the scope is known without reading the RecordFunction, whose
// layout varies. Control thread only; the callbacks run on the host's threads.
#pragma once

#include "capture/agent/steptracker.h"
#include "capture/agent/torchlibrary.h"

#include <cstdint>
#include <vector>

namespace tuneline::agent {

class Operators
{
public:
    // User scopes only: finds ProfilerStep#n and Optimizer.step#… while nothing is recorded. False: no usable LibTorch.
    bool watchSteps(StepTracker &tracker) noexcept;
    // Has the training begun? Watches for the first autograd node; trainingBegan() stops that once there was one.
    bool watchTraining() noexcept;
    [[nodiscard]] bool trainingBegan() noexcept;
    // Operators and autograd nodes too.
    bool start(StepTracker &tracker) noexcept;
    // Removes the operator observers, then those of the user scopes. Operators that are running still report their end.
    void stopOperators() noexcept;
    void stopUserScopes() noexcept; // their steps still count if somebody else reports them
    void stop() noexcept;

    [[nodiscard]] bool watchesSteps() const noexcept { return m_userHandle != 0; }
    [[nodiscard]] const TorchLibrary &torch() const noexcept { return m_torch; }

private:
    void stopTraining() noexcept;
    bool prepare(StepTracker &tracker) noexcept;

    TorchLibrary m_torch;
    std::vector<std::uint64_t> m_operatorHandles;
    std::uint64_t m_userHandle = 0;
    std::uint64_t m_trainingHandle = 0;
};

// A user scope begins: is it a step? Shared with the torch bridge's way in.
void noteUserScope(const char *name) noexcept;
void setStepWatcher(StepTracker *tracker) noexcept;

} // namespace tuneline::agent
