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

    // Appends contiguous steps that begin with these tokens (the first is 0); the last ends with the last token.
    void addSteps(const std::vector<std::uint32_t> &begins, StepSet &set) const;

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
