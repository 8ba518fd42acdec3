// SPDX-License-Identifier: GPL-3.0-or-later
// What a run tells about itself: a line every few steps, one at the end, a JSON summary, the losses exact to the bit.
// Owned and called by the training thread. No torch.
#pragma once

#include "capture/trainer/options.h"

#include <cstdio>
#include <memory>

namespace tuneline::trainer {

struct StepTimes
{
    int64_t stepNs = 0; // from the end of the last step to the end of this one
    int64_t dataNs = 0; // of it, the training thread waited for batches
    int64_t units = 0; // images or tokens
};

// Median of the values, 0 of none; the mean of the two in the middle of an even number.
double medianOf(std::vector<int64_t> values);

class Report
{
public:
    // `out` gets the lines, stays the caller's. `environment` (versions, device, data set) goes into the summary.
    Report(const Options &options, std::string unit, nlohmann::json environment, std::FILE *out);
    ~Report();

    void addStep(const StepTimes &times);
    // The loss of the step before, where it was read; nothing else is known between two reads.
    void addLoss(double loss);
    void interval(int64_t step);
    // How long the device still worked after the last step's host end: a host that runs ahead hides it in no step.
    void addDrain(int64_t ns) { m_drainNs += ns; }
    // `losses` of all steps, oldest first; empty unless the run kept them. Throws UserError(Failed) on a full disk.
    void finish(int64_t firstStep, const std::string &stoppedBy, const std::vector<float> &losses);

private:
    void writeSummary(int64_t firstStep, const std::string &stoppedBy) const;
    void writeLosses(int64_t firstStep, const std::vector<float> &losses) const;
    std::vector<int64_t> steadySteps() const;
    double meanStepNs() const;

    const Options m_options;
    const std::string m_unit;
    std::FILE *const m_out;
    std::unique_ptr<nlohmann::json> m_environment;
    std::vector<StepTimes> m_steps;
    std::vector<double> m_losses; // as read
    int64_t m_drainNs = 0;
    size_t m_reported = 0; // steps that interval() has told about
};

} // namespace tuneline::trainer
