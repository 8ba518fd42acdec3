// SPDX-License-Identifier: GPL-3.0-or-later
// From places in the token sequence to host times of step boundaries.
#pragma once

#include "analysis/steps/steps.h"
#include "analysis/steps/tokens.h"

namespace tuneline::analysis {

class HostTimes
{
public:
    // Refers to all of them; `lane` is the training thread.
    HostTimes(const Trace &trace, const NameTable &names, const std::vector<Token> &tokens, LaneId lane);

    // Appends contiguous steps: each begins with the token at bounds[i] and ends before the one at bounds[i + 1].
    void addSteps(const std::vector<std::uint32_t> &bounds, StepSet &set) const;

private:
    [[nodiscard]] std::int64_t endOf(std::uint32_t token) const;
    [[nodiscard]] std::int64_t pauseBehind(std::int64_t end) const;
    [[nodiscard]] std::int64_t beginOfFirst(std::int64_t longestPause, std::int64_t most) const;

    const Trace &m_trace;
    const NameTable &m_names;
    const std::vector<Token> &m_tokens;
    LaneId m_lane;
    std::vector<EventId> m_work; // outermost, on the training thread
};

} // namespace tuneline::analysis
