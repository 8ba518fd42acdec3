// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints on disk: model, optimizer, loss scaler, step and random state, so that a resumed run continues bit by
// bit. A file is complete or not there. Training thread only.
#pragma once

#include "capture/trainer/models.h"
#include "capture/trainer/optimizer.h"

#include <deque>
#include <filesystem>

namespace tuneline::trainer {

struct TrainingState
{
    Model &model;
    Optimizer &optimizer;
    LossScaler &scaler;
    torch::Device device;
};

class Snapshots
{
public:
    explicit Snapshots(const Options &options);

    // Writes SAVE_DIR/step-NNNNNN.pt and removes the oldest that this run wrote, so that three stay.
    void save(const TrainingState &state, int64_t step);

    // Returns the steps done; throws UserError when the file can't be read or belongs to another configuration.
    int64_t load(const TrainingState &state, const std::string &path) const;

private:
    std::string fingerprint() const; // what must be the same for a resume to make sense

    const Options m_options;
    std::deque<std::filesystem::path> m_written;
};

} // namespace tuneline::trainer
