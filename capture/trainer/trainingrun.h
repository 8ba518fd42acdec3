// SPDX-License-Identifier: GPL-3.0-or-later
// The training loop. Constructed and run on one thread, the training thread; owns model, optimizer and loaders.
#pragma once

#include "capture/trainer/cudasupport.h"
#include "capture/trainer/faults.h"
#include "capture/trainer/report.h"
#include "capture/trainer/snapshot.h"

#include <atomic>

namespace tuneline::trainer {

class TrainingRun
{
public:
    // Options must be resolved. Makes the model and loads the checkpoint to resume from.
    TrainingRun(const Options &options, torch::Device device, std::shared_ptr<const Samples> samples);

    // Trains until the steps or seconds are over or `stop` is set, then reports. Throws UserError or c10::Error.
    void train(const std::atomic<bool> &stop);

private:
    struct DeviceBatch
    {
        torch::Tensor inputs;
        torch::Tensor targets;
    };

    void makeSource();
    void announce() const;
    TrainingState state() { return {*m_model, *m_optimizer, m_scaler, m_device}; }
    void oneStep();
    void eagerStep();
    void graphStep();
    void captureStep();
    DeviceBatch nextBatch();
    DeviceBatch toDevice(const Batch &batch) const;
    torch::Tensor moved(const torch::Tensor &host) const;
    void forwardBackward(const DeviceBatch &batch);
    void update();
    void afterStep();
    void readLoss();
    std::string stopReason(int64_t elapsedNs, const std::atomic<bool> &stop) const;
    std::vector<float> lossesOfAllSteps() const;
    nlohmann::json environment() const;

    const Options m_options;
    const Knobs &m_knobs;
    const torch::Device m_device;
    const std::shared_ptr<const Samples> m_samples;
    const RunMarks m_marks;
    Autocast m_autocast;
    LossScaler m_scaler;
    Faults m_faults;
    Snapshots m_snapshots;
    std::unique_ptr<StepGraph> m_graph; // before the model: its stream is the current one while the model is made
    std::shared_ptr<Model> m_model;
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<BatchSource> m_source;
    std::unique_ptr<Report> m_report;

    DeviceBatch m_fixed; // the synthetic batch, or what the CUDA graph reads
    torch::Tensor m_output; // of the last micro batch
    torch::Tensor m_loss; // of the step, on the device, detached
    std::vector<torch::Tensor> m_losses; // of every step, where a loss file was asked for
    int64_t m_firstStep = 0;
    int64_t m_step = 0; // steps done
    int64_t m_inputNs = 0; // waited for batches in this step
};

} // namespace tuneline::trainer
